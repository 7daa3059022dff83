import { expect, test } from "vitest";
import { ChannelFault, channelFault } from "../../src/lib/errors/channel-fault.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";

const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

/** The error under so many others. */
function wrapped(error: Error, layers: number): Error {
  return layers === 0 ? error : new Error(`layer ${layers}`, { cause: wrapped(error, layers - 1) });
}

test("what a channel throws says by itself whether to try again; a lost connection counts below four other errors too", () => {
  const own = new ChannelFault("slow-down", "flood");
  expect(channelFault(own)).toBe(own);
  for (const layers of [0, 1, 4]) {
    const error = wrapped(reset, layers);
    expect(channelFault(error)).toMatchObject({
      kind: "again",
      retryable: true,
      sent: "maybe",
      answered: false,
      scope: "chat",
      message: "read ECONNRESET",
      cause: error,
    });
  }
  const refused = new RuntimeError("inbox.refused", "The chat is gone.", { retryable: false });
  expect(channelFault(refused)).toMatchObject({ kind: "refused", message: "The chat is gone.", cause: refused });
  const later = new RuntimeError("model.attempts", "Later.", { retryable: true });
  expect(channelFault(later)).toMatchObject({ kind: "again", cause: later });
  for (const bug of [wrapped(reset, 5), new TypeError("undefined is not a function"), "a text", undefined])
    expect(channelFault(bug)).toBeUndefined();
});
