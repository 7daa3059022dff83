/** JSON lines for the operator. Secrets are removed by the given redactor before a line is written. */
import type { Clock, JsonObject, Logger } from "../../contract/base.ts";

const LEVELS = { debug: 10, info: 20, warn: 30, error: 40 } as const;
export type LogLevel = keyof typeof LEVELS;

export interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  readonly write: (line: string) => void;
  readonly redact?: (text: string) => string;
}

export function jsonLog(options: LogOptions, bound: JsonObject = {}): Logger {
  const line = (level: LogLevel, event: string, data: JsonObject = {}): void => {
    if (LEVELS[level] < LEVELS[options.level]) return;
    const text = JSON.stringify({ time: new Date(options.clock.now()).toISOString(), level, event, ...bound, ...data });
    options.write(`${options.redact?.(text) ?? text}\n`);
  };
  return {
    debug: (event, data) => line("debug", event, data),
    info: (event, data) => line("info", event, data),
    warn: (event, data) => line("warn", event, data),
    error: (event, data) => line("error", event, data),
    child: (data) => jsonLog(options, { ...bound, ...data }),
  };
}

/** Says nothing: the default of the library. */
export const silentLog: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};
