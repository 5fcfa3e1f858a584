/// All that can be measured here.
var allGroups: [Group] {
  [
    dispatchGroup(), readingGroup(), subscriberGroup(), effectGroup(), chainGroup(), asyncGroup(),
    middlewareGroup(), monitorGroup(), observingGroup(), stateGroup(), combinedGroup(),
    forEachGroup(), storeGroup(), journalGroup(),
    threadGroup(), growthGroup(),
  ] + (StaticExample.isBuildable ? [startUpGroup()] : [])
}
