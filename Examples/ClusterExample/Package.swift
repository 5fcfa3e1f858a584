// swift-tools-version: 6.2

import PackageDescription

func glue(_ name: String) -> Target.Dependency { .product(name: name, package: "Glue") }

let package = Package(
  name: "ClusterExample",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "NATSLog", targets: ["NATSLog"]),
    .library(name: "PostgreSQLLog", targets: ["PostgreSQLLog"]),
  ],
  dependencies: [.package(name: "Glue", path: "../..")],
  targets: [
    .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .target(name: "NATSLog", dependencies: ["CNATS", glue("GlueCluster")]),
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(name: "PostgreSQLLog", dependencies: ["CPostgreSQL", glue("GlueCluster")]),

    .target(name: "LocalServers"),
    .executableTarget(
      name: "ClusterExample",
      dependencies: [
        "LocalServers", "NATSLog", "PostgreSQLLog", glue("Glue"), glue("GlueCluster"),
        glue("GlueClusterTesting"), glue("GlueConsole"), glue("GlueJournal"),
      ]),
    .testTarget(
      name: "EngineTests",
      dependencies: [
        "CPostgreSQL", "ClusterExample", "LocalServers", "NATSLog", "PostgreSQLLog", glue("Glue"),
        glue("GlueCluster"), glue("GlueClusterTesting"), glue("GlueJournal"),
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
