/** A logger that also keeps its last lines, for whoever asks why a server does not work. */
import type { Clock, JsonObject, Logger } from "@margay/core";

export interface LogLine {
  readonly at: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly event: string;
  readonly data: JsonObject;
}

const KEPT = 200;

/** `lines` grows and is cut in place. @param added Called after each line. */
export function tailed(
  log: Logger,
  clock: Pick<Clock, "now">,
  added: () => void = () => {},
): { readonly log: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const note =
    (level: LogLine["level"]) =>
    (event: string, data: JsonObject = {}): void => {
      log[level](event, data);
      lines.push({ at: clock.now(), level, event, data });
      if (lines.length > KEPT) lines.splice(0, lines.length - KEPT);
      added();
    };
  return {
    log: {
      debug: note("debug"),
      info: note("info"),
      warn: note("warn"),
      error: note("error"),
      child: (data) => tailed(log.child(data), clock, added).log,
    },
    lines,
  };
}
