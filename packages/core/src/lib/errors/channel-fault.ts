import type { Millis } from "../../contract/base.ts";
import type { FaultOptions } from "../../contract/channel.ts";
import type { ChannelFaultKind } from "../../contract/record.ts";
import { connectionCode } from "./connection-failure.ts";
import { RuntimeError } from "./errors.ts";

/** No later attempt cures these; the settings of a channel do, and a reply waits for them. */
const NEVER: readonly ChannelFaultKind[] = ["refused", "gone"];

/**
 * Thrown by a channel's `send` to say what shall become of the piece. Anything else that is thrown there counts as a
 * bug of the channel, unless it says that the platform was not reached.
 */
export class ChannelFault extends RuntimeError {
  readonly kind: ChannelFaultKind;
  readonly sent: "no" | "maybe";
  readonly answered: boolean;
  readonly scope: "chat" | "channel";
  readonly retryAfterMs: Millis | undefined;

  constructor(kind: ChannelFaultKind, message: string, options: FaultOptions = {}) {
    super("channel.failed", message, { retryable: !NEVER.includes(kind), cause: options.cause });
    this.kind = kind;
    this.sent = options.sent ?? "maybe";
    this.answered = options.answered ?? false;
    this.scope = options.scope ?? "chat";
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** @returns undefined for a bug. An error of ours says by itself whether another attempt may cure it. */
export function channelFault(error: unknown): ChannelFault | undefined {
  if (error instanceof ChannelFault) return error;
  if (error instanceof RuntimeError)
    return new ChannelFault(error.retryable ? "again" : "refused", error.message, { cause: error });
  for (let link = error, depth = 0; link instanceof Error && depth < 5; link = link.cause, depth++)
    if (connectionCode(link) !== undefined) return new ChannelFault("again", link.message, { cause: error });
  return undefined;
}
