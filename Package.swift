// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Glue",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Glue", targets: ["Glue"]),
    .library(name: "GlueLogging", targets: ["GlueLogging"]),
    .library(name: "GlueTesting", targets: ["GlueTesting"]),
    .library(name: "GlueInspector", targets: ["GlueInspector"]),
    .library(name: "GlueConsole", targets: ["GlueConsole"]),
    .library(name: "GlueJournal", targets: ["GlueJournal"]),
    .library(name: "GlueCluster", targets: ["GlueCluster"]),
    .library(name: "GluePostgreSQL", targets: ["GluePostgreSQL"]),
    .library(name: "GlueNATS", targets: ["GlueNATS"]),
    .library(name: "GlueSimulation", targets: ["GlueSimulation"]),
    .executable(name: "GlueJournalTool", targets: ["GlueJournalTool"]),
    .executable(name: "CounterExample", targets: ["CounterExample"]),
    .executable(name: "SearchExample", targets: ["SearchExample"]),
    .executable(name: "StopwatchExample", targets: ["StopwatchExample"]),
    .executable(name: "CaseStudies", targets: ["CaseStudies"]),
  ],
  traits: [
    .trait(name: "PostgreSQL", description: "GluePostgreSQL, which needs libpq."),
    .trait(name: "NATS", description: "GlueNATS, which needs libnats."),
  ],
  targets: [
    .systemLibrary(name: "CGlueMainQueue"),
    .target(name: "Glue", dependencies: ["CGlueMainQueue"]),
    .target(name: "Describing", dependencies: ["Glue"]),
    .target(name: "GlueLogging", dependencies: ["Describing", "Glue"]),
    .target(
      name: "GlueTesting", dependencies: ["Describing", "Glue", "GlueTestingLoading"],
      exclude: ["Loading"]),
    .target(name: "GlueTestingLoading", path: "Sources/GlueTesting/Loading"),
    .target(name: "GlueConsole", dependencies: ["Glue"]),
    .target(
      name: "GlueInspector", dependencies: ["Describing", "Glue"],
      resources: [.embedInCode("Page/Assets")]),

    .target(name: "GlueJournal", dependencies: ["Describing", "Glue"]),
    .executableTarget(name: "GlueJournalTool", dependencies: ["GlueJournal"]),
    .target(name: "GlueCluster", dependencies: ["Glue", "GlueJournal"]),
    .systemLibrary(name: "CGluePostgreSQL"),
    .target(
      name: "GluePostgreSQL",
      dependencies: [
        "GlueCluster", .byName(name: "CGluePostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ]),
    .systemLibrary(name: "CGlueNATS"),
    .target(
      name: "GlueNATS",
      dependencies: [
        "GlueCluster", .byName(name: "CGlueNATS", condition: .when(traits: ["NATS"])),
      ]),
    .target(
      name: "GlueSimulation",
      dependencies: [
        "Describing", "Glue", "GlueCluster", "GlueJournal",
        "GlueSimulationOutput", "GlueTesting",
      ], exclude: ["Output"]),
    .target(name: "GlueSimulationOutput", path: "Sources/GlueSimulation/Output"),

    .systemLibrary(name: "CMemory", path: "Examples/CMemory"),
    .executableTarget(
      name: "CounterExample", dependencies: ["Glue", "GlueConsole", "GlueJournal"],
      path: "Examples/CounterExample"),
    .executableTarget(
      name: "SearchExample",
      dependencies: ["CMemory", "Glue", "GlueConsole", "GlueInspector"],
      path: "Examples/SearchExample"),
    .executableTarget(
      name: "StopwatchExample", dependencies: ["Glue", "GlueConsole"],
      path: "Examples/StopwatchExample"),
    .executableTarget(
      name: "CaseStudies", dependencies: ["Glue", "GlueConsole"], path: "Examples/CaseStudies"),

    .target(name: "AllocationCounter", path: "Sources/GlueBenchmarks/AllocationCounter"),
    .target(
      name: "BenchmarkSuite", dependencies: ["Glue", "GlueJournal", "GlueLogging"],
      path: "Sources/GlueBenchmarks/Suite"),
    .executableTarget(
      name: "GlueBenchmarks", dependencies: ["AllocationCounter", "BenchmarkSuite"],
      path: "Sources/GlueBenchmarks/Program"),

    .target(name: "ProcessSupport", dependencies: ["Glue"], path: "Tests/Support"),
    .systemLibrary(name: "CEpoll", path: "Tests/CEpoll"),
    .executableTarget(
      name: "MainQueueProgram", dependencies: ["CEpoll", "Glue"], path: "Tests/MainQueueProgram"),
    .executableTarget(
      name: "AsyncMainProgram", dependencies: ["Glue"], path: "Tests/AsyncMainProgram"),
    .testTarget(
      name: "GlueTests",
      dependencies: [
        "AsyncMainProgram", "Glue", "GlueTesting", "MainQueueProgram", "ProcessSupport",
      ]),
    .testTarget(
      name: "GlueLoggingTests",
      dependencies: ["Describing", "Glue", "GlueLogging", "GlueTesting", "ProcessSupport"]),
    // The library's own sources, through a link, with another lock.
    .target(
      name: "InterleavedGlue", dependencies: ["CGlueMainQueue"], path: "Tests/InterleavedGlue",
      exclude: [
        "Glue/Glue.docc", "Glue/Support/Locked.swift", "Glue/Support/LockedOnDarwin.swift",
      ]),
    .testTarget(name: "ExhaustiveTests", dependencies: ["Glue", "InterleavedGlue"]),
    .testTarget(
      name: "GlueTestingTests",
      dependencies: ["Describing", "Glue", "GlueTesting", "ProcessSupport"]),
    .executableTarget(
      name: "InspectorPages", dependencies: ["Glue", "GlueInspector", "GlueJournal"],
      path: "Tests/InspectorPages"),
    .testTarget(
      name: "GlueInspectorTests",
      dependencies: [
        "Describing", "Glue", "GlueInspector", "GlueJournal", "GlueLogging", "GlueTesting",
        "InspectorPages", "ProcessSupport",
      ]),
    .executableTarget(
      name: "JournalVictim", dependencies: ["Glue", "GlueJournal"], path: "Tests/JournalVictim"),
    .testTarget(
      name: "GlueJournalTests",
      dependencies: [
        "Describing", "Glue", "GlueJournal", "GlueJournalTool", "GlueSimulation", "GlueTesting",
        "JournalVictim", "ProcessSupport",
      ], exclude: ["Fuzzed.base64"]),
    .testTarget(
      name: "GlueClusterTests",
      dependencies: [
        "Glue", "GlueCluster", "GlueJournal", "ProcessSupport",
      ]),
    .target(name: "LocalServers", path: "Tests/LocalServers"),
    .executableTarget(
      name: "LedgerProgram", dependencies: ["Glue", "GlueCluster", "GlueJournal", "GlueNATS"],
      path: "Tests/LedgerProgram"),
    .testTarget(
      name: "EngineTests",
      dependencies: [
        "Glue", "GlueCluster", "GlueJournal", "GlueNATS", "GluePostgreSQL", "LedgerProgram",
        "LocalServers",
        .byName(name: "CGluePostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ]),
    .testTarget(
      name: "GlueSimulationTests",
      dependencies: [
        "Glue", "GlueCluster", "GlueJournal", "GlueSimulation", "GlueTesting",
      ]),
    .testTarget(
      name: "GlueConsoleTests",
      dependencies: ["Glue", "GlueConsole", "GlueTesting", "ProcessSupport"]),
    .testTarget(name: "GlueBenchmarksTests", dependencies: ["BenchmarkSuite", "Glue"]),
    .executableTarget(
      name: "ReadmeProgram", dependencies: ["Glue"], path: "Tests/ReadmeProgram"),
    .executableTarget(
      name: "SurvivingProgram", dependencies: ["Glue", "GlueJournal"],
      path: "Tests/SurvivingProgram"),
    .executableTarget(
      name: "DownloadsProgram", dependencies: ["Glue", "GlueJournal"],
      path: "Tests/DownloadsProgram"),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "CEpoll", "DownloadsProgram", "Glue", "GlueCluster", "GlueConsole",
        "GlueInspector", "GlueJournal", "GlueLogging", "GlueSimulation", "GlueTesting",
        "ProcessSupport", "ReadmeProgram", "SurvivingProgram",
      ],
      exclude: ["Articles/bug-17"]),
    .testTarget(
      name: "MainActorTests", dependencies: ["Glue"],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "CounterExampleTests", dependencies: ["CounterExample", "ProcessSupport"]),
    .testTarget(
      name: "SearchExampleTests",
      dependencies: ["Glue", "GlueConsole", "GlueTesting", "ProcessSupport", "SearchExample"]),
    .testTarget(
      name: "StopwatchExampleTests",
      dependencies: ["GlueTesting", "ProcessSupport", "StopwatchExample"]),
    .testTarget(
      name: "CaseStudiesTests",
      dependencies: ["CaseStudies", "Glue", "GlueConsole", "GlueTesting", "ProcessSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
