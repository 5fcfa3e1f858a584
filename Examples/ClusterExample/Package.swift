// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ClusterExample",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Glue", path: "../..")],
  targets: [
    .target(name: "Replication", dependencies: [.product(name: "Glue", package: "Glue")]),
    .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .target(name: "NATSLog", dependencies: ["CNATS", "Replication"]),
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(name: "PostgreSQLLog", dependencies: ["CPostgreSQL", "Replication"]),

    .target(name: "LocalServers"),
    .executableTarget(
      name: "ClusterExample",
      dependencies: [
        "LocalServers", "NATSLog", "PostgreSQLLog", "Replication",
        .product(name: "Glue", package: "Glue"),
      ]),
    .testTarget(
      name: "EngineTests",
      dependencies: [
        "ClusterExample", "LocalServers", "NATSLog", "PostgreSQLLog", "Replication",
        .product(name: "Glue", package: "Glue"),
      ]),
    .testTarget(
      name: "ReplicationTests",
      dependencies: ["Replication", .product(name: "Glue", package: "Glue")]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
