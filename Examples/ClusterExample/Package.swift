// swift-tools-version: 6.2

import PackageDescription

func glue(_ name: String) -> Target.Dependency { .product(name: name, package: "Glue") }

let package = Package(
  name: "ClusterExample",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Glue", path: "../..", traits: ["NATS", "PostgreSQL"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    // Links to what the root's tests use, too.
    .target(name: "LocalServers"),
    .executableTarget(
      name: "ClusterExample",
      dependencies: [
        "LocalServers", glue("Glue"), glue("GlueCluster"), glue("GlueConsole"),
        glue("GlueJournal"), glue("GlueNATS"), glue("GluePostgreSQL"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "OperationsTests",
      dependencies: [
        "ClusterExample", glue("Glue"), glue("GlueCluster"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
