// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Glue",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Glue", targets: ["Glue"]),
    .library(name: "GlueTesting", targets: ["GlueTesting"]),
    .executable(name: "CounterExample", targets: ["CounterExample"]),
  ],
  targets: [
    .target(name: "Glue"),
    .target(name: "GlueTesting", dependencies: ["Glue"]),
    .executableTarget(
      name: "CounterExample", dependencies: ["Glue"], path: "Examples/CounterExample"),
    .testTarget(name: "GlueTests", dependencies: ["Glue", "GlueTesting"]),
    .testTarget(name: "GlueTestingTests", dependencies: ["Glue", "GlueTesting"]),
    .testTarget(name: "ReadmeTests", dependencies: ["Glue"]),
    .testTarget(name: "CounterExampleTests", dependencies: ["CounterExample"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
