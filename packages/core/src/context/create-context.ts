// The context of the loop: frozen prefix, appended notices, projected messages.
import type { Clock } from "../contract/base.ts";
import type { Message } from "../contract/message.ts";
import type { ContextBuilder } from "../contract/services.ts";
import type { SessionState } from "../contract/session.ts";
import { zonedClock, type ZonedTime } from "../lib/zoned-time.ts";
import { collectNotices } from "./notices.ts";
import { createPrefix, promptSections, renderSections } from "./prefix.ts";
import type { SectionOptions } from "./sections/section-options.ts";
import { watchedFiles } from "./sections/workspace-file.ts";

export interface ContextOptions extends SectionOptions {
  readonly clock: Pick<Clock, "now">;
  /** IANA name; the clock notice is written in it. */
  readonly timeZone: string;
  /** The zone of this process, when it is known: its times cost nothing to read. */
  readonly localZone?: string;
  /** SHA-256 of a text, as hex. */
  readonly hash: (text: string) => string;
  /** State → messages of the current epoch; pure. */
  readonly project: (state: SessionState) => readonly Message[];
  /** Applied to every text that goes into prefix and notices. */
  readonly redact?: (text: string) => string;
}

/**
 * The context builder the loop uses. `freeze` reads files and registry, never clock, channel or counter, so every
 * entry path gets the same bytes (R143).
 */
export function createContext(options: ContextOptions): ContextBuilder {
  const redact = options.redact ?? ((text: string) => text);
  // Redacted as they are read: prefix and later comparisons see the same bytes.
  const { readFile } = options;
  const clean: SectionOptions = {
    ...options,
    ...(readFile !== undefined && {
      readFile: async (path: string, signal: AbortSignal) => {
        const text = await readFile(path, signal);
        return text === undefined ? undefined : redact(text);
      },
    }),
  };
  const sections = promptSections(clean);
  const files = watchedFiles(clean);
  let zone: ((at: number) => ZonedTime) | undefined; // made at first use: Intl costs a few milliseconds of start-up
  return {
    freeze: async (state, signal) => {
      const rendered = await renderSections(sections, state, signal);
      signal.throwIfAborted();
      return createPrefix(
        rendered.map(({ id, text }) => ({ id, text: redact(text) })),
        options.tools(),
        options.hash,
      );
    },
    notices: (state, signal) => {
      zone ??= zonedClock(options.timeZone, options.localZone);
      return collectNotices(state, { files, now: options.clock.now(), zone, hash: options.hash }, signal);
    },
    project: options.project,
  };
}
