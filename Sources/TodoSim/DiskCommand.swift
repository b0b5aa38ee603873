import ArgumentParser
import Simulator

/// `todo-sim disk`.
struct DiskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disk",
    abstract:
      "Lets something go wrong at every step of what becomes of files on a device's disk, and look for what is lost or left."
  )

  @Option(help: "Try every Nth step only.") var every = 1
  @Option(help: "Begin with this step.") var first = 1
  @Option(help: "Put so many images through a pool of 25 MiB instead, and look after each.") var images: Int?

  func run() throws {
    try Reproducible.ensure()
    let play = try DiskPlay()
    if let images {
      let failures = try play.crowd(images)
      for failure in failures { print(failure) }
      print("\(images) images, \(failures.count) failures")
      if !failures.isEmpty { throw ExitCode.failure }
      return
    }
    let steps = try play.steps()
    var tried = 0
    var failures: [String] = []
    for fault in DiskPlay.faults {
      for step in stride(from: first, through: steps, by: every) {
        failures += try play.failures(fault, at: step)
        tried += 1
      }
    }
    for failure in failures { print(failure) }
    print("\(tried) faults at \(steps) steps, \(failures.count) failures")
    if !failures.isEmpty || tried == 0 { throw ExitCode.failure }
  }
}
