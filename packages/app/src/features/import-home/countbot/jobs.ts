/** The jobs of a CountBot: rows of one table, with times of China. */
import type { DatabaseSync } from "node:sqlite";
import type { Source } from "../source.ts";
import { quoted, rowsOf } from "./sqlite.ts";

/** Where its scheduler lives, whatever the machine says. */
const ZONE = "Asia/Shanghai";
/** Its greeting: a job whose message only its own program understands. */
const HEARTBEAT = "builtin:heartbeat";

export function readJobs(db: DatabaseSync, found: Source, from: string, table: string): void {
  for (const row of rowsOf(db, `SELECT * FROM ${quoted(table)}`)) {
    const id = String(row["id"] ?? "");
    const text = (...names: readonly string[]): string | undefined =>
      names.map((name) => row[name]).find((value): value is string => typeof value === "string" && value !== "");
    const message = text("message", "task", "prompt");
    const expression = text("schedule", "cron_expr", "expression");
    if (id === HEARTBEAT || message === "__heartbeat__") {
      found.skipped.push({ area: "job", from: `${from} ${id}`, reason: { key: "import.why.heartbeat" } });
      continue;
    }
    if (id === "" || message === undefined || expression === undefined) {
      const values = { why: Object.keys(row).join(", ") };
      found.skipped.push({ area: "job", from: `${from} ${id}`, reason: { key: "import.why.job", values } });
      continue;
    }
    const name = text("name");
    const chat = text("chat_id", "to");
    found.jobs.push({
      from: `${from} ${id}`,
      request: {
        id: `countbot-${id}`,
        ...(name !== undefined && { name }),
        message,
        cron_expr: expression,
        tz: text("timezone", "tz") ?? ZONE,
        ...(row["enabled"] === 0 && { enabled: false }),
        to: chat === undefined ? { channel: "cli", chat: "direct" } : { channel: text("channel") ?? "cli", chat },
      },
    });
  }
}
