import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { Tool, ToolContext, ToolResult } from "../../src/contract/tool.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { defineTool, toolError } from "../../src/tools/define.ts";
import { type Bounds, failureText, invoke, recover } from "../../src/tools/invoke.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { collectingLog } from "../support/log.ts";
import { said, toolContext } from "./support.ts";

const bounds: Bounds = { timeoutMs: 60_000, maxResultChars: 1000, store: async (id) => `.margay/results/${id}.txt` };

function ready(
  execute: (input: object, context: ToolContext) => Promise<ToolResult>,
  change: Partial<Tool> = {},
): { ok: true; tool: Tool; input: unknown } {
  return {
    ok: true,
    tool: { ...defineTool({ name: "probe", description: "", input: {}, effect: "read", execute }), ...change },
    input: {},
  };
}
const gives = (result: unknown): { ok: true; tool: Tool; input: unknown } => ready(async () => result as ToolResult); // what plain JavaScript may return

test("a call that is over leaves nothing on the signal of its turn", async () => {
  const context = toolContext();
  const outcome = await invoke(
    ready(() => Promise.resolve(String(getEventListeners(context.signal, "abort").length))),
    context,
    bounds,
  );
  expect(outcome).toMatchObject({ parts: [{ text: "1" }] });
  expect(getEventListeners(context.signal, "abort")).toEqual([]);
});

test("R88 a text up to the bound is passed unchanged", async () => {
  const text = `  \r\n\u0000x${"y".repeat(994)}`;
  expect(await invoke(gives(text), toolContext(), bounds)).toEqual({
    kind: "result",
    status: "ok",
    parts: [{ type: "text", text }],
  });
});

test("R88 a longer text keeps head and tail, is stored whole, and the last line names the call for the rest", async () => {
  const whole = Array.from({ length: 800 }, (_, index) => `line ${index + 1} 😀`).join("\n");
  const stored: string[] = [];
  const outcome = await invoke(gives(whole), toolContext(), {
    ...bounds,
    store: async (_id, text) => (stored.push(text), ".margay/results/c-1.txt"),
  });
  const text = outcome.kind === "result" ? said(outcome.parts) : "";
  expect(stored).toEqual([whole]);
  expect(text.length).toBeLessThanOrEqual(1000);
  expect(text.isWellFormed()).toBe(true);
  expect(text.startsWith("line 1 😀\n")).toBe(true);
  expect(text).toContain("line 800 😀\n[");
  const last =
    /\[(\d+) characters in all\. Continue with read_file\(path="\.margay\/results\/c-1\.txt", offset=(\d+)\)\.\]$/.exec(
      text,
    );
  expect(Number(last?.[1])).toBe(whole.length);
  // The line to continue with is the last one of the head, which may have been cut.
  const head = text.slice(0, text.indexOf("\n… "));
  expect(Number(last?.[2])).toBe(head.split("\n").length);
});

test("CX7 when it cannot be stored the text is cut all the same", async () => {
  const outcome = await invoke(gives("x".repeat(5000)), toolContext(), { ...bounds, store: async () => undefined });
  expect(outcome.kind === "result" ? said(outcome.parts) : "").toMatch(
    /\[5000 characters in all; they could not be stored\. Ask for less at a time\.\]$/,
  );
});

test("R88 a tool that bounds itself is exempt; media are kept beside a cut text", async () => {
  const long = "x".repeat(5000);
  const exempt = await invoke(
    ready(async () => long, { bounded: true }),
    toolContext(),
    bounds,
  );
  expect(exempt).toMatchObject({ parts: [{ text: long }] });
  const media = { type: "media", mediaType: "image/png", blob: { sha256: "0", bytes: 1 } };
  const mixed = await invoke(gives({ parts: [{ type: "text", text: long }, media] }), toolContext(), bounds);
  expect(mixed.kind === "result" ? mixed.parts[1] : undefined).toEqual(media);
});

test.each([
  [""],
  ["  \n"],
  [undefined],
  [null],
  [{ parts: [] }],
  [
    {
      parts: [
        { type: "text", text: " " },
        { type: "text", text: "" },
      ],
    },
  ],
])("R89 TL3 an empty result (%j) reads (no output) with status ok", async (result) => {
  expect(await invoke(gives(result), toolContext(), bounds)).toEqual({
    kind: "result",
    status: "ok",
    parts: [{ type: "text", text: "(no output)" }],
  });
});

test("R90 TL4 status is a field: a text that says Error is ok, a refusal is an error", async () => {
  expect(await invoke(gives("Error: just a word"), toolContext(), bounds)).toMatchObject({ status: "ok" });
  expect(await invoke(gives(toolError("a does not exist", "look with list_dir")), toolContext(), bounds)).toEqual({
    kind: "result",
    status: "error",
    parts: [{ type: "text", text: "Error: a does not exist. Next: look with list_dir." }],
  });
  expect(await invoke(gives({ parts: [], isError: true, status: "interrupted" }), toolContext(), bounds)).toMatchObject(
    { status: "interrupted" },
  );
});

test("details and the untrusted label are passed on; details no journal can hold are dropped", async () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const parts = [{ type: "text", text: "x" }];
  expect(
    await invoke(gives({ parts, details: { exitCode: 0 }, integrity: "untrusted" }), toolContext(), bounds),
  ).toEqual({
    kind: "result",
    status: "ok",
    parts,
    details: { exitCode: 0 },
    integrity: "untrusted",
  });
  expect(await invoke(gives({ parts, details: cycle }), toolContext(), bounds)).toEqual({
    kind: "result",
    status: "ok",
    parts,
  });
});

test.each([
  [{ a: 1 }, '{"a":1}'],
  [5, "5"],
  [[1], "[1]"],
  [10n, "(a result that is not text: bigint)"],
])("what plain JavaScript returns instead of a result (%o) is text", async (result, text) => {
  expect(await invoke(gives(result), toolContext(), bounds)).toMatchObject({ status: "ok", parts: [{ text }] });
});

test("R91 TL9 a hanging tool ends at its deadline of clock time; late output and progress are dropped", async () => {
  const clock = fakeClock();
  const progress: string[] = [];
  const late = Promise.withResolvers<string>();
  let seen: ToolContext | undefined;
  const outcome = invoke(
    ready(async (_, inner) => ((seen = inner), late.promise)),
    toolContext({ clock, progress: (text) => progress.push(text) }),
    bounds,
  );
  await clock.waitForSleep();
  seen?.progress("before");
  await clock.advance(59_999);
  expect(seen?.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(await outcome).toEqual({
    kind: "threw",
    error: {
      code: "tool.timeout",
      message: "probe timed out after 60 seconds. Next: split the work into smaller steps or try another way.",
      retryable: true,
    },
  });
  expect(seen?.signal.aborted).toBe(true);
  late.resolve("late");
  seen?.progress("after");
  expect(progress).toEqual(["before"]);
  expect(clock.pending()).toEqual([]);
});

test("R91 a tool sets its own deadline; 0 means that it keeps its own; only read is retried after a timeout", async () => {
  const clock = fakeClock();
  const own = invoke(
    ready(() => new Promise(() => {}), { timeoutMs: 5000, effect: "write" }),
    toolContext({ clock }),
    bounds,
  );
  await clock.waitForSleep();
  await clock.advance(5000);
  expect(await own).toMatchObject({ error: { message: expect.stringContaining("after 5 seconds"), retryable: false } });
  expect(
    await invoke(
      ready(async () => String(clock.pending().length), { timeoutMs: 0 }),
      toolContext({ clock }),
      bounds,
    ),
  ).toMatchObject({ parts: [{ text: "0" }] });
});

test("R91 a finished tool leaves no timer behind", async () => {
  const clock = fakeClock();
  await invoke(gives("x"), toolContext({ clock }), bounds);
  expect(clock.pending()).toEqual([]);
});

test("TL9 a stop is passed on at once, also when the tool ignores it", async () => {
  const controller = new AbortController();
  const reason = new RuntimeError("turn.cancelled", "Stopped.");
  const running = invoke(
    ready(() => new Promise(() => {})),
    toolContext({ signal: controller.signal }),
    bounds,
  );
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
  await expect(invoke(gives("x"), toolContext({ signal: controller.signal }), bounds)).rejects.toBe(reason);
});

test.each([
  [new Error("boom"), { code: "tool.failed", message: "boom", retryable: true }],
  ["a string", { code: "tool.failed", message: "a string", retryable: true }],
  [undefined, { code: "tool.failed", message: "an error without a message", retryable: true }],
  [new Error(""), { code: "tool.failed", message: "Error", retryable: true }],
  [{ odd: true }, { code: "tool.failed", message: "an error without a message", retryable: true }],
  [new Error("m".repeat(100_000)), { code: "tool.failed", message: `${"m".repeat(999)}…`, retryable: true }],
  [Object.assign(new Error("404"), { retryable: false }), { code: "tool.failed", message: "404", retryable: false }],
  [new RuntimeError("tool.refused", "No."), { code: "tool.refused", message: "No.", retryable: false }],
  [
    new RuntimeError("provider.overloaded", "Busy.", { retryable: true }),
    { code: "provider.overloaded", message: "Busy.", retryable: true },
  ],
])("R61 TL6 what a tool throws becomes readable data (%#)", async (thrown, error) => {
  expect(
    await invoke(
      ready(async () => Promise.reject(thrown as Error)),
      toolContext(),
      bounds,
    ),
  ).toEqual({ kind: "threw", error });
  expect(
    await invoke(
      ready((): never => {
        throw thrown as Error;
      }),
      toolContext(),
      bounds,
    ),
  ).toEqual({ kind: "threw", error });
});

test("R64 the text after the last attempt counts the attempts; a timeout keeps its own sentence", () => {
  const error = { code: "tool.failed", message: "boom", retryable: true };
  expect(failureText("read_file", 1, error)).toBe("Error: read_file failed: boom");
  expect(failureText("read_file", 3, error)).toBe("Error: read_file failed after 3 attempts: boom");
  expect(
    failureText("probe", 3, { ...error, code: "tool.timeout", message: "probe timed out after 60 seconds. Next: x." }),
  ).toBe("Error: probe timed out after 60 seconds. Next: x.");
});

test("R103 recover asks the tool for its receipt; without one, or when it fails, nobody knows", async () => {
  const recovering = (result: () => Promise<ToolResult | undefined>): { ok: true; tool: Tool; input: unknown } =>
    ready(async () => "", { recover: result });
  expect(await recover(gives("x"), toolContext(), bounds)).toBeUndefined();
  expect(
    await recover(
      recovering(async () => undefined),
      toolContext(),
      bounds,
    ),
  ).toBeUndefined();
  expect(
    await recover(
      recovering(async () => Promise.reject(new Error("x"))),
      toolContext(),
      bounds,
    ),
  ).toBeUndefined();
  expect(
    await recover(
      recovering(async () => "Exit code: 0"),
      toolContext(),
      bounds,
    ),
  ).toMatchObject({ kind: "result", status: "ok" });
  expect(
    await recover(
      recovering(async () => ""),
      toolContext(),
      bounds,
    ),
  ).toMatchObject({ parts: [{ text: "(no output)" }] });
});

test("the log says where a tool broke, which the model is not told", async () => {
  const log = collectingLog();
  const breaks = ready(async function brokenProbe() {
    await Promise.resolve();
    throw new TypeError("x is not a function");
  });
  const outcome = await invoke(breaks, toolContext({ log }), bounds);
  expect(log.lines).toMatchObject([
    {
      level: "warn",
      event: "tool.threw",
      data: { tool: "probe", error: "x is not a function", stack: expect.stringContaining("brokenProbe") as string },
    },
  ]);
  expect(JSON.stringify(outcome)).not.toContain("brokenProbe");
  await invoke(
    ready(() => Promise.reject(new RuntimeError("tool.failed", "no room"))),
    toolContext({ log }),
    bounds,
  );
  expect(log.lines).toHaveLength(1); // what a tool says itself needs no place
});
