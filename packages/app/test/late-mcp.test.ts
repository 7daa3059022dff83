// MCP servers that are configured while the agent runs: their code and state are loaded then, and that may fail.
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Loaded } from "../src/config/load.ts";
import { lateMcp } from "../src/features/mcp/late-mcp.ts";
import type { Mcp } from "../src/features/mcp/client/servers.ts";

const configured = (...names: readonly string[]): Loaded =>
  ({ config: { mcpServers: Object.fromEntries(names.map((name) => [name, {}])) } }) as unknown as Loaded; // nothing else is read

test("what could not be loaded is said to whoever waits for the tools, and tried again by the next", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const seen: string[][] = [];
  const servers: Mcp = {
    view: (own) => own,
    status: () => [],
    find: () => undefined,
    configure: (all) => void seen.push(Object.keys(all)),
    ready: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  let full = true;
  await using late = await lateMcp(configured(), () =>
    full ? Promise.reject(new Error("no space left")) : Promise.resolve(servers),
  );
  const { signal } = new AbortController();
  await late.ready(signal);
  late.configure(configured("notes"));
  await setImmediate(); // nobody has waited for it yet
  await expect(late.ready(signal)).rejects.toThrow("no space left");
  full = false;
  await late.ready(signal);
  expect([late.current, seen, unhandled]).toEqual([servers, [["notes"]], []]);
});
