/** What an agent shows on its platforms beside the replies: who types, what it says while it says it, what became of a question. */
import type { AgentSettings } from "./contract/agent-options.ts";
import type { Clock, Logger } from "./contract/base.ts";
import type { Channel } from "./contract/channel.ts";
import type { Audience } from "./contract/people.ts";
import { createAskedMessages } from "./channels/questions/asked-messages.ts";
import { createLiveText } from "./channels/live/live.ts";
import { createPacer } from "./channels/pacer.ts";
import type { Digests, DigestsOptions } from "./channels/questions/digest.ts";
import { createTyping } from "./channels/typing.ts";
import { messageOf } from "./lib/errors/errors.ts";
import { outcomeText } from "./control/questions/buttons.ts";
import type { ConnectOptions } from "./loop/connect.ts";
import { randomToken } from "./machine/system/ids.ts";
import { hideLinks } from "./channels/markup/outgoing-links.ts";
import { cutMark } from "./loop/texts.ts";

export interface PlatformsOptions {
  /** One that is on. */
  readonly channel: (id: string) => Channel | undefined;
  /** As who reads there has them. */
  readonly settings: (audience?: Audience) => Pick<AgentSettings, "language" | "timeZone">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redact: (text: string) => string;
  readonly instead: ConnectOptions["instead"];
  /** One of ours: there questions are messages. */
  readonly platform: (id: string) => Channel | undefined;
  readonly asked: DigestsOptions["asked"];
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

export interface PlatformSides extends Pick<ConnectOptions, "live" | "pacer" | "printer"> {
  readonly crowd: Digests;
  /** These look at a session after each of its records. */
  readonly type: ReturnType<typeof createTyping>;
  readonly settle: ReturnType<typeof createAskedMessages>;
}

export function platformSides(options: PlatformsOptions): PlatformSides {
  const { channel, platform, asked, settings, clock, log, redact, instead, closing } = options;
  const language = (): AgentSettings["language"] => settings().language;
  const printer: ConnectOptions["printer"] = async (text) =>
    (await import("./channels/markup/printer.ts")).createPrinter(text);
  const pacer = createPacer(clock);
  const shown = { channel, clock, log, printer, closing };
  const type = createTyping(shown);
  const settle = createAskedMessages({
    ...shown,
    redact,
    outcome: ({ audience }, asked, more) => outcomeText(settings(audience), asked, more),
    digest: async (state, shown) =>
      (await import("./channels/questions/digest.ts")).digestText(state, shown, { language, asked }),
  });
  const crowd = whenAsked({ channel: platform, language, token: randomToken, asked, clock, log, closing });
  const live = createLiveText({
    ...shown,
    pacer,
    // What who reads the chat may not read is not shown while it is written either.
    visible: (text, { state }) =>
      instead(state) === undefined ? hideLinks(redact(text), state, settings().language) : "",
    cutMark: () => cutMark(settings().language),
  });
  return { printer, pacer, live, crowd, type, settle };
}

/** Loaded with the first question. */
function whenAsked(options: DigestsOptions): Digests {
  const { log, closing } = options;
  let made: Digests | undefined;
  let loading: Promise<Digests> | undefined;
  const load = (): Promise<Digests> =>
    (loading ??= import("./channels/questions/digest.ts").then(({ createDigests }) => (made = createDigests(options))));
  return {
    hold: (session, item) => load().then((digests) => digests.hold(session, item) ?? false),
    // It was asked before whether it is to be held.
    sound: (state, item) => made?.sound(state, item) ?? {},
    look: (session) => {
      if (made !== undefined) made.look(session);
      else
        load()
          .then(({ look }) => look(session))
          .catch((error: unknown) => {
            if (!closing.aborted) log.error("digest.failed", { message: messageOf(error) });
          });
    },
    get busy() {
      return loading !== undefined && (made === undefined || made.busy);
    },
    idle: async () => {
      await (await loading)?.idle();
    },
  };
}
