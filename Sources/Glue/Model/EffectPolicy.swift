/// When an effect starts, and what it does to others with the same id.
///
/// An effect is queued when it is emitted, and its turn comes in the order of deliveries (G3). Then
/// it starts, or waits and starts; it is over when all its handlers have returned. The policy
/// decides when the effect is emitted; a wait is counted from its turn, on the store's clock.
///
/// In the timelines each column is 100 ms. Effects `a`, `b` and `c`, of one id, are emitted where
/// their letters are in the first line, `[` is a start, `]` an end, `x` a cancellation.
public enum EffectPolicy: Hashable, Sendable {
  /// Cancels what there is of this id, and starts.
  ///
  /// A task that was cancelled may go on until it heeds that: for so long two of one id overlap,
  /// which ``replacing`` avoids.
  ///
  ///     emitted   a . b . . . .
  ///     a         [ - x
  ///     b             [ - - ]
  case latest

  /// Cancels what there is of this id, and starts when all of its tasks have returned.
  ///
  /// So there are never two at once, if the id is used with this policy alone, and of several that
  /// wait the last one starts: for what must be released before it is acquired again, such as a
  /// file, a port or a device. A task that does not heed its cancellation holds up those that
  /// follow.
  ///
  ///     emitted   a . b . . . .
  ///     a         [ - x ]
  ///     b               [ - - ]
  case replacing

  /// Is dropped if anything of this id is queued, waiting or running; else it starts.
  ///
  /// What a throttle keeps for later does not count.
  ///
  ///     emitted   a . b . c . .
  ///     a         [ - - ]
  ///     c                 [ - - ]
  case leading

  /// Starts when everything of this id that was emitted earlier is over.
  ///
  ///     emitted   a b . . . . .
  ///     a         [ - - ]
  ///     b               [ - - ]
  case sequential

  /// Cancels what there is of this id, running or not, and starts after a time in which nothing of
  /// this id is emitted.
  ///
  /// With `.debounce(.milliseconds(300))`:
  ///
  ///     emitted   a b . . . . .
  ///     a         - x
  ///     b           - - - [ - ]
  case debounce(Duration)

  /// Starts at once, if that long has passed since the last start; else the latest one waits for
  /// that moment, and those before it are dropped.
  ///
  /// It limits starts, not how many run at once. With `.throttle(.milliseconds(300))`:
  ///
  ///     emitted   a b c . . . .
  ///     a         [ - ]
  ///     c               [ - ]
  ///
  /// With `latest: false` the first one waits instead, and those after it are dropped:
  ///
  ///     emitted   a b c . . . .
  ///     a         [ - ]
  ///     b               [ - ]
  case throttle(Duration, latest: Bool = true)

  /// Starts after a time, whatever else there is of this id.
  ///
  /// With `.delay(.milliseconds(300))`:
  ///
  ///     emitted   a b . . . . .
  ///     a         - - - [ - ]
  ///     b           - - - [ - ]
  case delay(Duration)
}
