import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSessions, type Clock } from "@margay/core";
import { lockDirectory, openJournalDirectory, systemClock } from "@margay/core/internal";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "./harness.ts";

async function withModel(): Promise<{ readonly app: Margay; readonly model: MockModel }> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  return { app, model };
}

test("the answer is on stdout, progress on stderr", async () => {
  const { app, model } = await withModel();
  mkdirSync(join(app.home, "workspace"), { recursive: true });
  writeFileSync(join(app.home, "workspace", "notes.txt"), "deadline: friday");
  model.replies(callsTool("read_file", { path: "notes.txt" }), says("The deadline is Friday.", { chunks: 3 }));
  const { code, out, err } = await app.run(["agent", "-m", "read notes.txt"]);
  expect({ code, out }).toEqual({ code: 0, out: "The deadline is Friday.\n" });
  expect(err).toContain('· read_file {"path":"notes.txt"}');
});

test("CH11 text that was streamed is not printed again, with or without streaming", async () => {
  const { app, model } = await withModel();
  model.replies(says("one two three", { chunks: 3 }), says("four five", { chunks: 2 }));
  expect((await app.run(["agent", "-m", "count"])).out).toBe("one two three\n");
  expect((await app.run(["agent", "-m", "on", "--no-stream"])).out).toBe("four five\n");
});

test("text arrives while the model still speaks", async () => {
  const { app, model } = await withModel();
  const slow = stalls({ after: "first ", rest: says("second") });
  model.replies(slow);
  const seen = Promise.withResolvers<string>();
  const running = app.run(["agent", "-m", "hello"], { onOut: seen.resolve });
  expect(await seen.promise).toBe("first ");
  slow.release();
  expect((await running).out).toBe("first second\n");
});

test("--json prints events as lines and ends with the answer", async () => {
  const { app, model } = await withModel();
  model.replies(says("hi"));
  const ran = await app.run(["agent", "-m", "hello", "--json"]);
  expect(ran.err).toBe("");
  expect(ran.lines.map((line) => line["type"])).toContain("turn.ended");
  expect(ran.lines.at(-1)).toMatchObject({
    type: "answer",
    session: "cli:direct",
    text: "hi",
    reason: "done",
    toolsUsed: [],
  });
});

test("without -m the message is read from standard input", async () => {
  const { app, model } = await withModel();
  model.replies(says("ok"));
  await app.run([], { stdin: "from a pipe\n" });
  expect(model.requests[0]?.texts("user").join()).toContain("from a pipe");
});

test("an empty message is refused with exit code 2", async () => {
  const { code, err } = await margay().run(["agent"], { stdin: " \n" });
  expect({ code, err }).toEqual({
    code: 2,
    err: "There is no message. Give one with -m TEXT or on standard input. [usage.wrong]\n",
  });
});

test("st-030: control characters of model and tools cannot act in the terminal", async () => {
  const { app, model } = await withModel();
  model.replies(callsTool("read_file", { path: "a\u001b[31mb" }), says("a\u0000b\u001b[31mc\u009b2Jd\u202ee"));
  const { out, err } = await app.run(["agent", "-m", "hello"]);
  expect(out).toBe("a␀b␛[31mc⟨U+009B⟩2Jd⟨U+202E⟩e\n");
  expect(err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
});

test("CF3 practice mode says what it is; a configured model without a key names the key instead", async () => {
  const app = margay();
  const practice = await app.run(["agent", "-m", "hello"]);
  expect(practice.code).toBe(0);
  expect(practice.err).toContain("Practice mode");
  app.configure({ model: "anthropic/claude-sonnet-5-5" });
  const keyless = await app.run(["agent", "-m", "hello"]);
  expect(keyless).toMatchObject({ code: 78, out: "" });
  expect(keyless.err).toContain("ANTHROPIC_API_KEY");
  expect(keyless.err).not.toContain("Practice mode");
});

test("R177 a busy state directory is exit code 75 with the pid of its owner", async () => {
  const app = margay();
  using _lock = lockDirectory(app.home);
  const { code, err } = await app.run(["agent", "-m", "hello"]);
  expect(code).toBe(75);
  expect(err).toContain(`Process ${process.pid} works on ${app.home} and did not answer.`);
});

test("--model is for this command only and wins over the file (R28)", async () => {
  const { app, model } = await withModel();
  model.replies(says("ok"));
  await app.run(["agent", "-m", "hello", "--model", "mock/other"]);
  expect(model.requests[0]?.body["model"]).toBe("other");
  expect(JSON.parse(readFileSync(join(app.home, "config.json"), "utf8"))).toMatchObject({ model: "mock/mock-model" });
});

test("--image sends the picture; a file that is none is refused", async () => {
  const { app, model } = await withModel();
  const png = join(app.directory, "dot.png");
  const bytes = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  writeFileSync(png, bytes);
  model.replies(says("a dot"));
  expect((await app.run(["agent", "-m", "what is this?", "--image", png])).out).toBe("a dot\n");
  expect(model.requests[0]?.images).toEqual([{ mediaType: "image/png", data: bytes.toString("base64") }]);
  writeFileSync(join(app.directory, "text.png"), "no picture");
  expect((await app.run(["agent", "-m", "x", "--image", join(app.directory, "text.png")])).code).toBe(2);
});

test("R20 an interrupted turn is exit code 130 and goes on with the next message", async () => {
  const { app, model } = await withModel();
  const stuck = stalls();
  model.replies(stuck);
  const stop = new AbortController();
  const running = app.run(["agent", "-m", "first"], { signal: stop.signal });
  await model.received(1);
  stop.abort(new Error("stopped by SIGINT"));
  const ran = await running;
  expect({ code: ran.code, out: ran.out }).toEqual({ code: 130, out: "" });
  expect(ran.err).not.toContain("    at ");
  stuck.release();
  model.replies(says("both answered"), says("and the second"));
  const next = await app.run(["agent", "-m", "second"]);
  expect(next.code).toBe(0);
  expect(next.out).toContain("both answered");
  expect(model.requests.flatMap((request) => request.texts("user")).join()).toContain("first");
});

test("an approval is asked at the terminal; without a person it is denied", async () => {
  const { app, model } = await withModel();
  const command = { command: "echo approved" };
  model.replies(
    callsTool("exec", command),
    says("ran"),
    callsTool("exec", command),
    says("not ran"),
    callsTool("exec", command),
    says("denied"),
  );
  const allowed = await app.run(["agent", "-m", "run it"], { person: () => Promise.resolve("y") });
  expect(allowed.out).toBe("ran\n");
  expect(allowed.err).toContain("echo approved");
  expect(model.requests[1]?.toolResults.at(-1)?.text).toContain("approved");
  await app.run(["agent", "-m", "again"], { person: () => Promise.resolve("n") });
  expect(model.requests[3]?.toolResults.at(-1)?.text).toMatch(/^Denied/);
  await app.run(["agent", "-m", "and again"]);
  expect(model.requests[5]?.toolResults.at(-1)?.text).toMatch(/^Denied/);
});

test("a reply that an earlier process queued and did not live to show is shown first, once", async () => {
  const { app, model } = await withModel();
  {
    const journals = openJournalDirectory(join(app.home, "sessions"));
    await using sessions = openSessions({ journals, clock: systemClock() });
    const to = { channel: "cli", chat: "direct" };
    const session = await sessions.open("cli:direct", to);
    await session.commit({
      type: "reply.queued",
      reply: "r-1",
      to,
      kind: "reply",
      parts: [{ type: "text", text: "the old answer" }],
    });
  }
  model.replies(says("the new answer"), says("and another"));
  expect((await app.run(["agent", "-m", "hello"])).out).toBe("the old answer\nthe new answer\n");
  expect((await app.run(["agent", "-m", "hello"])).out).toBe("and another\n");
});

test("R287 DF48 state directories are 0700 and files 0600", async () => {
  const { app, model } = await withModel();
  model.replies(callsTool("exec", { command: "echo hi" }), says("done"));
  await app.run(["agent", "-m", "run it"], { person: () => Promise.resolve("y") });
  await app.run(["config", "set", "providers.other.apiKey", "k"]);
  const names = readdirSync(app.home, { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith("workspace/"),
  );
  const wide = names.filter((name) => {
    const stats = statSync(join(app.home, name));
    return (stats.mode & 0o777) !== (stats.isDirectory() ? 0o700 : 0o600);
  });
  expect(wide).toEqual([]);
});

test("R78 another command approves through the state directory while the first one waits", async () => {
  const { app, model } = await withModel();
  model.replies(callsTool("exec", { command: "echo from-outside" }), says("ran"));
  const asked = Promise.withResolvers<void>();
  const waits = (_question: string, signal: AbortSignal): Promise<undefined> => {
    asked.resolve();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed"))));
  };
  const running = app.run(["agent", "-m", "run it"], { person: waits });
  await asked.promise;
  const listed = await app.run(["approvals", "list", "--json"]);
  const [pending] = JSON.parse(listed.out) as {
    readonly code: string;
    readonly name: string;
    readonly prompt: string;
  }[];
  expect(pending).toMatchObject({ name: "exec" });
  const shown = (await app.run(["approvals", "list"])).out;
  expect(shown.split("\n")[0]).toMatch(
    new RegExp(`^${pending?.code ?? "none"} cli:direct exec \\(.*\\b\\d{2,3}\\b.*\\)$`),
  );
  expect(shown).toContain("\n  exec: echo from-outside\n");
  expect(shown).toMatch(/--remember session\|always[^\n]*\n {4}exec: echo from-outside/);
  expect((await app.run(["approvals", "allow", "00000000"])).code).toBe(1);
  const allow = ["approvals", "allow", pending?.code ?? "", "--remember", "session"];
  expect((await app.run(allow)).out).toBe("Allowed in this chat: exec.\n");
  expect((await running).out).toBe("ran\n");
  expect(model.requests[1]?.toolResults.at(-1)?.text).toContain("from-outside");
});

/** A turn that asks, and whose process is stopped before anybody answers. @returns the code of the question. */
async function stoppedAtQuestion(app: Awaited<ReturnType<typeof withModel>>["app"]): Promise<string> {
  const asked = Promise.withResolvers<void>();
  const stop = new AbortController();
  const person = (_question: string, signal: AbortSignal): Promise<undefined> => {
    asked.resolve();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed"))));
  };
  const running = app.run(["agent", "-m", "run it"], { person, signal: stop.signal });
  await asked.promise;
  stop.abort(new Error("stopped by SIGTERM"));
  expect((await running).code).toBe(130);
  const [pending] = JSON.parse((await app.run(["approvals", "list", "--json"])).out) as { readonly code: string }[];
  return pending?.code ?? "";
}

test("R78 an approval given while nothing runs is journaled; the call runs once at the next start", async () => {
  const { app, model } = await withModel();
  const marker = join(app.home, "workspace", "ran.txt");
  model.replies(callsTool("exec", { command: "echo once >> ran.txt" }));
  const code = await stoppedAtQuestion(app);
  const allowed = await app.run(["approvals", "allow", code, "--remember", "always"]);
  expect(allowed).toMatchObject({ code: 0, out: expect.stringMatching(/^Always allowed: exec\./) });
  expect(readFileSync(join(app.home, "rules.json"), "utf8")).toContain("echo once >> ran.txt");
  expect(allowed.err).toContain("at the next start");
  expect(existsSync(marker)).toBe(false);
  model.replies(says("it ran"), says("and this"));
  expect((await app.run(["agent", "-m", "go on"])).out).toContain("it ran");
  expect(readFileSync(marker, "utf8")).toBe("once\n");
});

test("R78 SE1 a question that nobody answered in time cannot be answered while nothing runs either", async () => {
  const { app, model } = await withModel();
  const marker = join(app.home, "workspace", "ran.txt");
  model.replies(callsTool("exec", { command: "echo late >> ran.txt" }));
  const code = await stoppedAtQuestion(app);
  const later: Clock = { ...systemClock(), now: () => Date.now() + 300_000 };
  expect((await app.run(["approvals", "list"], { clock: later })).out).toBe("Nothing waits for an approval.\n");
  const allow = ["approvals", "allow", code, "--remember", "always"];
  expect(await app.run(allow, { clock: later })).toMatchObject({ code: 1, out: "" });
  expect(existsSync(join(app.home, "rules.json"))).toBe(false);
  model.replies(says("it was refused"), says("and this"));
  await app.run(["agent", "-m", "go on"], { clock: later });
  expect(existsSync(marker)).toBe(false);
  expect(model.requests[1]?.toolResults.at(-1)?.text).toContain("nobody answered within 300 s");
});

test("R282 a configured key that lies in the workspace reaches neither the model nor a file of the state directory", async () => {
  const { app, model } = await withModel();
  const workspace = join(app.home, "workspace");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "notes.txt"), "the key is test-key-for-mock");
  model.replies(callsTool("read_file", { path: "notes.txt" }), says("I have read it."));
  await app.run(["agent", "-m", "read notes.txt"]);
  expect(model.requests[1]?.toolResults[0]?.text).toContain("the key is [redacted]");
  const files = readdirSync(app.home, { recursive: true, encoding: "utf8", withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const holding = files.filter((entry) =>
    readFileSync(join(entry.parentPath, entry.name), "utf8").includes("test-key-for-mock"),
  );
  expect(holding.map((entry) => entry.name).sort()).toEqual(["config.json", "notes.txt"]);
});

test("agent -m --temporary answers, and nothing of it is left but what it cost", async () => {
  const { app, model } = await withModel();
  model.replies(says("It is blue."));
  const planted = "zanzibar-7f3a91c2";
  const { code, out } = await app.run(["agent", "-m", `what color is ${planted}?`, "--temporary"]);
  expect({ code, out }).toEqual({ code: 0, out: "It is blue.\n" });
  const files = readdirSync(app.home, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(app.home, path)).isFile(),
  );
  expect(files.filter((path) => readFileSync(join(app.home, path)).includes(planted))).toEqual([]);
  expect(files.filter((path) => path.endsWith(".journal"))).toEqual([]);
  expect((await app.run(["usage", "--json"])).out).toContain(`"total":{"requests":1,`);
});
