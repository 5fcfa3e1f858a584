// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ClusterExample",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Glue", path: "../..")],
  targets: [
    .target(name: "Replication", dependencies: [.product(name: "Glue", package: "Glue")]),
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
