/// All that can be measured here.
var allGroups: [Group] {
  [
    dispatchGroup(), readingGroup(), subscriberGroup(), effectGroup(), chainGroup(), asyncGroup(),
    middlewareGroup(), monitorGroup(), observingGroup(), stateGroup(), combinedGroup(),
    forEachGroup(), storeGroup(), journalGroup(),
    threadGroup(),
  ] + (StaticExample.isBuildable ? [startUpGroup()] : [])
}
