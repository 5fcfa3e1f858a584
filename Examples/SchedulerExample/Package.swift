// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "SchedulerExample",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Glue", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(
      url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "SchedulerExample",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Glue", package: "Glue"),
        .product(name: "GlueConsole", package: "Glue"),
        .product(name: "GlueJournal", package: "Glue"),
        .product(name: "GlueProcesses", package: "Glue"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "SchedulerExampleTests",
      dependencies: [
        "SchedulerExample",
        .product(name: "Glue", package: "Glue"),
        .product(name: "GlueJournal", package: "Glue"),
        .product(name: "GlueProcesses", package: "Glue"),
        .product(name: "GlueSimulation", package: "Glue"),
        .product(name: "GlueTesting", package: "Glue"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
