/// The samples of one subject.
struct Measurement {
  let subject: Subject

  /// One sample a round.
  var samples: [Double] = []

  /// Heap allocations an operation; nil if they were not counted.
  var allocations: Double?

  /// Whether all its operations had been done at the end.
  var isDone = true
}

/// Measures the subjects of a group in turns, so that a drift of the machine's speed hits all.
struct Sampler {
  var rounds = 15
  var sampleTime = Duration.milliseconds(20)
  var allocations: AllocationCounting?

  /// How many operations are watched for allocations.
  private static let watched = 1000

  /// Measures subjects; `progress` gets the number of each round as it begins.
  func measure(_ subjects: [Subject], progress: (Int) -> Void) -> [Measurement] {
    var runs = subjects.map { Run($0, sampleTime: sampleTime) }
    for round in 1...rounds {
      progress(round)
      for index in runs.indices { runs[index].sample() }
    }
    return runs.indices.map { index in
      runs[index].finish(countingBy: allocations, watched: Self.watched)
    }
  }
}

/// A subject that is being measured.
private struct Run {
  private let work: Work
  private var count = 1
  private var total = 0
  private var measurement: Measurement

  /// How many nanoseconds a sample should take.
  private let target: Double

  /// Prepares the subject, warms it up, and finds how many operations fill a sample.
  init(_ subject: Subject, sampleTime: Duration) {
    work = subject.prepare()
    measurement = Measurement(subject: subject)
    target = (subject.sampleTime ?? sampleTime) / .nanoseconds(1)
    if let fixed = subject.count { count = fixed } else { fill() }
  }

  /// Takes several runs, because interruptions hardly ever hit all of them.
  private mutating func fill() {
    var time = fastest()
    while time < target / 4 {
      count *= 2
      time = fastest()
    }
    count = max(1, Int(Double(count) * target / time))
  }

  private mutating func fastest() -> Double {
    min(take(count), take(count), take(count))
  }

  private mutating func take(_ count: Int) -> Double {
    total += count
    return nanoseconds { work.run(count) }
  }

  mutating func sample() {
    let time = take(count)
    measurement.samples.append(work.reading?() ?? time / Double(count))
    // Threads that begin to contend take many times as long.
    if measurement.subject.count == nil && time > 4 * target {
      count = max(1, Int(Double(count) * target / time))
    }
  }

  /// Counts allocations, once all buffers have grown, and checks that the work was done.
  mutating func finish(countingBy counting: AllocationCounting?, watched: Int) -> Measurement {
    if let counting, measurement.subject.isSerial {
      let count = measurement.subject.count ?? watched
      total += count
      let made = counting.count { work.run(count) }
      measurement.allocations = Double(made) / Double(count)
    }
    measurement.isDone = work.isDone(total)
    return measurement
  }
}
