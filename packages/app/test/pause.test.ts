import { mkdirSync } from "node:fs";
import type { Address } from "@margay/core";
import { expect, test } from "vitest";
import type { App } from "../src/app.ts";
import { openApp } from "../src/embed.ts";
import { margay } from "./cli/harness.ts";

let written = 0;

/** Writes as a person of a chat. @returns what the command answered. */
async function answer(app: App, text: string, origin: Address): Promise<string | undefined> {
  const accepted = await app.agent.bus.accept({
    key: `${process.pid}-${++written}`,
    origin,
    from: { id: "ann", kind: "person" },
    parts: [{ type: "text", text }],
  });
  if (accepted.status !== "accepted") return accepted.status;
  let last: string | undefined;
  for await (const { records } of (await app.agent.sessions.find(accepted.sessionKey))!.history())
    for (const record of records)
      if (record.type === "reply.queued" && record.parts[0]?.type === "text") last = record.parts[0].text;
  return last;
}

test("R183 a restart does not forget that the schedules are paused", async () => {
  const { home } = margay();
  mkdirSync(home, { recursive: true });
  const cli = { channel: "cli", chat: "direct" };
  {
    await using app = await openApp({ home });
    expect(await answer(app, "/resume", cli)).toBe("The schedules are not paused.");
    expect(await answer(app, "/stop all", cli)).toContain("The schedules are paused until /resume.");
  }
  {
    await using app = await openApp({ home });
    expect(await answer(app, "/resume", cli)).toBe("The schedules go on.");
  }
  await using app = await openApp({ home });
  expect(await answer(app, "/resume", cli)).toBe("The schedules are not paused.");
});

test("R188 on the machine itself one is an operator; somebody of a platform who is not admitted is not even answered", async () => {
  const { home } = margay();
  mkdirSync(home, { recursive: true });
  await using app = await openApp({ home });
  expect(await answer(app, "/allow", { channel: "cli", chat: "direct" })).toBe("Nothing waits for approval here.");
  expect(await answer(app, "/stop all", { channel: "telegram", chat: "7" })).toBe("refused");
});
