import Foundation
import Testing

/// What a fault of the program may not lead to.
@Suite struct HardeningTests {
  /// Swift's runtime looks for the program that shows a fault below the folder one stands in, which may be anybody's.
  @Test(arguments: ["todo add Chores -", "todo-server --data server --listen 127.0.0.1:0"])
  func aFaultStartsNothingFromTheFolderOneStandsIn(command: String) async throws {
    let page = """
      alice$ mkdir --parents libexec/swift/linux/x86_64
      alice$ printf '#!/bin/sh\\ntouch started\\n' | tee libexec/swift/linux/swift-backtrace > libexec/swift/linux/x86_64/swift-backtrace
      alice$ cp libexec/swift/linux/swift-backtrace libexec/swift/linux/swift-backtrace-static; chmod +x libexec/swift/linux/swift-backtrace* libexec/swift/linux/x86_64/*
      alice$ (sleep 2) | (export SWIFT_BACKTRACE=enable=yes; exec \(command)) > /dev/null 2>&1 & sleep 1; kill -SEGV $!; wait $! 2> /dev/null; echo $?; ls started 2> /dev/null; true
      139
      """
    try await onStage { try $0.play(text: page) }
  }
}
