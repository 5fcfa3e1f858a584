/// When an effect starts, and what it does to others with the same id.
///
/// An effect is queued when it is emitted, and its turn comes in the order of deliveries (G3). Then
/// it starts, or waits and starts. It has ended when all its handlers have returned. The policy
/// decides when the effect is emitted; a wait counts from its turn, on the store's clock.
///
/// In the timelines each column is 100 ms. The first line shows when the effects `a`, `b` and `c`,
/// of one id, are emitted. `[` is a start, `]` an end, `x` a cancellation.
public enum EffectPolicy: Hashable, Sendable {
  /// Cancels all earlier effects of this id, and starts.
  ///
  /// A canceled task may continue until it checks for cancellation: until then two of one id
  /// overlap, which ``restarting`` avoids.
  ///
  ///     emitted   a . b . . . .
  ///     a         [ - x
  ///     b             [ - - ]
  case latest

  /// Cancels all earlier effects of this id, and starts when all of their tasks have returned.
  ///
  /// If the id is used with this policy alone, two never overlap, and of several that wait the last
  /// one starts. Use it for a resource that must be released before it is acquired again, such as a
  /// file, a port or a device. A task that ignores its cancellation holds up later ones.
  ///
  ///     emitted   a . b . . . .
  ///     a         [ - x ]
  ///     b               [ - - ]
  case restarting

  /// Is dropped if an effect of this id is queued, waiting or running; else it starts.
  ///
  /// An effect held by a throttle doesn't count.
  ///
  ///     emitted   a . b . c . .
  ///     a         [ - - ]
  ///     c                 [ - - ]
  case leading

  /// Starts when all earlier effects of this id have ended.
  ///
  ///     emitted   a b . . . . .
  ///     a         [ - - ]
  ///     b               [ - - ]
  case sequential

  /// Starts, independent of other effects of this id, so that several can run at once.
  ///
  /// The id serves to cancel them.
  ///
  ///     emitted   a b . . . . .
  ///     a         [ - - ]
  ///     b           [ - - ]
  case concurrent

  /// Cancels all earlier effects of this id, running or not, and starts after a time in which no
  /// other one is emitted.
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

  /// Starts after a time, independent of other effects of this id.
  ///
  /// With `.delay(.milliseconds(300))`:
  ///
  ///     emitted   a b . . . . .
  ///     a         - - - [ - ]
  ///     b           - - - [ - ]
  case delay(Duration)
}

extension EffectPolicy {
  /// How long an effect waits before it starts, if at all.
  var wait: Duration? {
    switch self {
    case .debounce(let duration), .delay(let duration):
      duration > .zero ? duration : nil
    case .latest, .restarting, .leading, .sequential, .concurrent, .throttle: nil
    }
  }

  /// How long after a start other effects don't start, if at all.
  var window: Duration? {
    switch self {
    case .throttle(let duration, _): duration > .zero ? duration : nil
    case .latest, .restarting, .leading, .sequential, .concurrent, .debounce, .delay: nil
    }
  }
}
