// A log that keeps its lines, for tests that look at them and for whoever debugs a test.

import type { JsonObject, Logger } from "../../src/contract/base.ts";

export interface CollectingLog extends Logger {
  readonly lines: readonly { readonly level: string; readonly event: string; readonly data: JsonObject }[];
}

export function collectingLog(): CollectingLog {
  const lines: { level: string; event: string; data: JsonObject }[] = [];
  const create = (base: JsonObject): Logger => {
    const at =
      (level: string) =>
      (event: string, data: JsonObject = {}): void =>
        void lines.push({ level, event, data: { ...base, ...data } });
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      child: (data) => create({ ...base, ...data }),
    };
  };
  return { ...create({}), lines };
}
