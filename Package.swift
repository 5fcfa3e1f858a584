// swift-tools-version: 6.2

import PackageDescription

// For programs and their tests: each of these modules is a product.
let modules: [Target] = [
  .target(name: "Glue", dependencies: ["CGlueMainQueue"]),
  .target(name: "GlueLogging", dependencies: ["Glue", "GlueDescribing"]),
  .target(
    name: "GlueTesting", dependencies: ["Glue", "GlueDescribing", "GlueTestingLoading"],
    exclude: ["Loading"]),
  .target(
    name: "GlueInspector", dependencies: ["Glue", "GlueDescribing"],
    resources: [.embedInCode("Page/Assets")]),
  .target(name: "GlueConsole", dependencies: ["Glue"]),
  .target(name: "GlueProcesses", dependencies: ["CGlueProcesses"]),
  .target(name: "GlueJournal", dependencies: ["Glue", "GlueDescribing"]),
  .target(name: "GlueCluster", dependencies: ["Glue", "GlueJournal"]),
  .target(
    name: "GluePostgreSQL",
    dependencies: ["GlueCluster", .system("CGluePostgreSQL", trait: "PostgreSQL")]),
  .target(name: "GlueNATS", dependencies: ["GlueCluster", .system("CGlueNATS", trait: "NATS")]),
  .target(
    name: "GlueSimulation",
    dependencies: [
      "Glue", "GlueCluster", "GlueDescribing", "GlueJournal", "GlueSimulationOutput", "GlueTesting",
    ], exclude: ["Output"]),
]

// What the modules share, and the C that Swift can't say. A module of the same name in a program that
// depends on Glue is an error, so each name begins with Glue or CGlue.
let inner: [Target] = [
  .target(name: "GlueDescribing", dependencies: ["Glue"]),
  .systemLibrary(name: "CGlueMainQueue"),
  .systemLibrary(name: "CGlueProcesses"),
  .systemLibrary(name: "CGluePostgreSQL"),
  .systemLibrary(name: "CGlueNATS"),
  .target(name: "GlueTestingLoading", path: "Sources/GlueTesting/Loading"),
  .target(name: "GlueSimulationOutput", path: "Sources/GlueSimulation/Output"),
]

let programs: [Target] = [
  .executableTarget(name: "GlueJournalTool", dependencies: ["GlueJournal"]),
  .executableTarget(
    name: "GlueLogTool", dependencies: ["GlueCluster", "GlueNATS", "GluePostgreSQL"]),
  .example("CounterExample", ["Glue", "GlueConsole", "GlueJournal"]),
  .example("SearchExample", ["CMemory", "Glue", "GlueConsole", "GlueInspector"]),
  .example("StopwatchExample", ["Glue", "GlueConsole"]),
  .example("CaseStudies", ["Glue", "GlueConsole"]),
  .systemLibrary(name: "CMemory", path: "Examples/CMemory"),
  .executableTarget(
    name: "GlueBenchmarks", dependencies: ["AllocationCounter", "BenchmarkSuite"],
    path: "Sources/GlueBenchmarks/Program"),
  .target(
    name: "BenchmarkSuite", dependencies: ["Glue", "GlueJournal", "GlueLogging"],
    path: "Sources/GlueBenchmarks/Suite"),
  .target(name: "AllocationCounter", path: "Sources/GlueBenchmarks/AllocationCounter"),
]

let tests: [Target] = [
  .testTarget(
    name: "GlueTests",
    dependencies: [
      "AsyncMainProgram", "Glue", "GlueLogging", "GlueTesting", "MainQueueProgram",
      "ProcessSupport",
    ]),
  .testTarget(name: "ExhaustiveTests", dependencies: ["Glue", "InterleavedGlue"]),
  .testTarget(
    name: "MainActorTests", dependencies: ["Glue"],
    swiftSettings: [.defaultIsolation(MainActor.self)]),
  .testTarget(
    name: "GlueLoggingTests",
    dependencies: ["Glue", "GlueDescribing", "GlueLogging", "GlueTesting", "ProcessSupport"]),
  .testTarget(
    name: "GlueTestingTests",
    dependencies: ["Glue", "GlueDescribing", "GlueTesting", "ProcessSupport"]),
  .testTarget(
    name: "GlueInspectorTests",
    dependencies: [
      "Glue", "GlueDescribing", "GlueInspector", "GlueJournal", "GlueLogging", "GlueTesting",
      "InspectorPages", "ProcessSupport",
    ]),
  .testTarget(
    name: "GlueConsoleTests",
    dependencies: ["Glue", "GlueConsole", "GlueTesting", "ProcessSupport"]),
  .testTarget(
    name: "GlueProcessesTests",
    dependencies: ["Glue", "GlueProcesses", "ProcessSupport", "ProcessVictim"]),
  .testTarget(
    name: "GlueJournalTests",
    dependencies: [
      "Glue", "GlueDescribing", "GlueJournal", "GlueJournalTool", "GlueSimulation", "GlueTesting",
      "JournalVictim", "ProcessSupport",
    ], exclude: ["Fuzzed.base64"]),
  .testTarget(
    name: "GlueClusterTests",
    dependencies: ["Glue", "GlueCluster", "GlueJournal", "ProcessSupport"]),
  .testTarget(
    name: "EngineTests",
    dependencies: [
      "Glue", "GlueCluster", "GlueJournal", "GlueLogTool", "GlueNATS", "GluePostgreSQL",
      "LedgerProgram", "LocalServers", "ProcessSupport",
      .system("CGluePostgreSQL", trait: "PostgreSQL"),
    ]),
  .testTarget(
    name: "GlueSimulationTests",
    dependencies: ["Glue", "GlueCluster", "GlueJournal", "GlueSimulation", "GlueTesting"]),
  .testTarget(name: "GlueBenchmarksTests", dependencies: ["BenchmarkSuite", "Glue"]),
  .testTarget(
    name: "DocumentationTests",
    dependencies: [
      "CEpoll", "DownloadsProgram", "Glue", "GlueCluster", "GlueConsole", "GlueInspector",
      "GlueJournal", "GlueLogging", "GlueProcesses", "GlueSimulation", "GlueTesting",
      "ProcessSupport", "ReadmeProgram", "SurvivingProgram",
    ],
    exclude: ["Articles/bug-17"]),
  .testTarget(name: "CounterExampleTests", dependencies: ["CounterExample", "ProcessSupport"]),
  .testTarget(
    name: "SearchExampleTests",
    dependencies: ["Glue", "GlueConsole", "GlueTesting", "ProcessSupport", "SearchExample"]),
  .testTarget(
    name: "StopwatchExampleTests",
    dependencies: ["Glue", "GlueTesting", "ProcessSupport", "StopwatchExample"]),
  .testTarget(
    name: "CaseStudiesTests",
    dependencies: ["CaseStudies", "Glue", "GlueConsole", "GlueTesting", "ProcessSupport"]),
]

// What the tests use and run.
let testSupport: [Target] = [
  .target(name: "ProcessSupport", dependencies: ["Glue"], path: "Tests/Support"),
  .target(name: "LocalServers", path: "Tests/LocalServers"),
  .systemLibrary(name: "CEpoll", path: "Tests/CEpoll"),
  // The library's own sources, through a link, with another lock.
  .target(
    name: "InterleavedGlue", dependencies: ["CGlueMainQueue"], path: "Tests/InterleavedGlue",
    exclude: [
      "Glue/Glue.docc", "Glue/Support/Locked.swift", "Glue/Support/LockedOnDarwin.swift",
    ]),
  .program("AsyncMainProgram", ["Glue"]),
  .program("DownloadsProgram", ["Glue", "GlueJournal"]),
  .program("InspectorPages", ["Glue", "GlueInspector", "GlueJournal"]),
  .program("JournalVictim", ["Glue", "GlueJournal"]),
  .program("LedgerProgram", ["Glue", "GlueCluster", "GlueJournal", "GlueNATS"]),
  .program("MainQueueProgram", ["CEpoll", "Glue"]),
  .program("ProcessVictim", ["GlueProcesses"]),
  .program("ReadmeProgram", ["Glue"]),
  .program("SurvivingProgram", ["Glue", "GlueJournal"]),
]

let package = Package(
  name: "Glue",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: modules.map { .library(name: $0.name, targets: [$0.name]) } + [
    .executable(name: "GlueJournalTool", targets: ["GlueJournalTool"]),
    .executable(name: "GlueLogTool", targets: ["GlueLogTool"]),
  ],
  traits: [
    .trait(name: "PostgreSQL", description: "GluePostgreSQL, which needs libpq."),
    .trait(name: "NATS", description: "GlueNATS, which needs libnats."),
  ],
  targets: modules + inner + programs + tests + testSupport,
  swiftLanguageModes: [.v6]
)

extension Target {
  static func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Examples/\(name)")
  }

  static func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)")
  }
}

extension Target.Dependency {
  static func system(_ name: String, trait: String) -> Target.Dependency {
    .byName(name: name, condition: .when(traits: [trait]))
  }
}

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
