/** What an agent shows on its platforms beside the replies: who types, what it says while it says it, what became of a question. */
import type { AgentSettings } from "./contract/agent-options.ts";
import type { Clock, Logger } from "./contract/base.ts";
import type { Channel } from "./contract/channel.ts";
import { createAskedMessages } from "./channels/asked-messages.ts";
import { createLiveText } from "./channels/live.ts";
import { createPacer } from "./channels/pacer.ts";
import { createTyping } from "./channels/typing.ts";
import { outcomeText } from "./control/buttons.ts";
import type { ConnectOptions } from "./loop/connect.ts";
import { hideLinks } from "./channels/markup/outgoing-links.ts";
import { cutMark } from "./loop/texts.ts";

export interface PlatformsOptions {
  /** One that is on. */
  readonly channel: (id: string) => Channel | undefined;
  readonly settings: () => Pick<AgentSettings, "language" | "timeZone">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redact: (text: string) => string;
  readonly instead: ConnectOptions["instead"];
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

export interface PlatformSides extends Pick<ConnectOptions, "live" | "pacer" | "printer"> {
  /** These look at a session after each of its records. */
  readonly type: ReturnType<typeof createTyping>;
  readonly settle: ReturnType<typeof createAskedMessages>;
}

export function platformSides(options: PlatformsOptions): PlatformSides {
  const { channel, settings, clock, log, redact, instead, closing } = options;
  const printer: ConnectOptions["printer"] = async (text) =>
    (await import("./channels/markup/printer.ts")).createPrinter(text);
  const pacer = createPacer(clock);
  const shown = { channel, clock, log, printer, closing };
  const type = createTyping(shown);
  const settle = createAskedMessages({
    ...shown,
    redact,
    outcome: (asked, more) => outcomeText(settings(), asked, more),
  });
  const live = createLiveText({
    ...shown,
    pacer,
    // What who reads the chat may not read is not shown while it is written either.
    visible: (text, { state }) =>
      instead(state) === undefined ? hideLinks(redact(text), state, settings().language) : "",
    cutMark: () => cutMark(settings().language),
  });
  return { printer, pacer, live, type, settle };
}
