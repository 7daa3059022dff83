// Temporary conversations: the key says it, every reader heeds it, and nothing is left but what the title line says.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { startGateway, type GatewayPlaceOptions, type TestGateway } from "./support.ts";

const PLANTED = "zanzibar-7f3a91c2";
const ANSWERED = "quokka-51b0e9d4";
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** Files below the folder in which one of the words stands. */
function filesWith(folder: string, ...words: readonly string[]): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .filter((path) => words.some((word) => readFileSync(join(folder, path)).includes(word)))
    .toSorted();
}

interface Began {
  readonly id: string;
  readonly key: string;
}

async function begin(gateway: TestGateway, text: string, body: object = {}): Promise<Began> {
  const made = await gateway.api("/sessions", {
    method: "POST",
    body: { temporary: true, message: { parts: [{ type: "text", text }] }, ...body },
    headers: { "idempotency-key": `first-${text}` },
  });
  expect([made.status, made.body.source]).toEqual([201, "temporary"]);
  await gateway.app.agent.idle();
  return { id: made.body.id as string, key: made.body.key as string };
}

async function say(gateway: TestGateway, session: string, text: string): Promise<void> {
  const { status } = await gateway.api(`/sessions/${session}/messages`, {
    method: "POST",
    body: { parts: [{ type: "text", text }] },
  });
  expect(status).toBe(202);
  await gateway.app.agent.idle();
}

/** Commands are run without a question. */
const FREE: GatewayPlaceOptions = {
  config: { policy: { rules: [{ tool: "exec", action: "allow" }] } },
};

test("what was said in a temporary conversation stands nowhere below the home or the workspace when it is ended", async (t) => {
  const gateway = await startGateway(t, FREE);
  const uploaded = await gateway.api("/uploads", {
    method: "POST",
    raw: new Uint8Array(PIXEL),
    headers: { "content-type": "image/png" },
  });
  const { blob } = uploaded.body as { readonly blob: { readonly sha256: string; readonly bytes: number } };
  gateway.model.replies(
    callsTool("exec", { command: `echo ${ANSWERED}-$((40+2))` }),
    says(`Of ${ANSWERED}.`),
    callsTool("write_file", { path: "draft.txt", content: `${ANSWERED} one` }),
    callsTool("write_file", { path: "draft.txt", content: "something else" }),
    says(`Of ${ANSWERED} again.`),
  );
  const { id } = await begin(gateway, `about ${PLANTED}`, {
    message: {
      parts: [
        { type: "text", text: `about ${PLANTED}` },
        { type: "media", blob },
      ],
    },
  });
  await say(gateway, id, `more of ${PLANTED}`);
  // While it lives it is journaled as any other, and its changes can be taken back.
  expect(filesWith(gateway.home, PLANTED).some((path) => path.startsWith("sessions/"))).toBe(true);
  expect(filesWith(gateway.home, ANSWERED).some((path) => path.startsWith("undo/"))).toBe(true);
  expect((await gateway.api(`/sessions/${id}/messages`)).body.items.length).toBeGreaterThan(3);

  expect((await gateway.api(`/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
  await gateway.app.audit.flush();
  // Of a call the audit log has what it was called with; of the words of a turn, and of results, nothing.
  expect(filesWith(gateway.home, PLANTED)).toEqual([]);
  const left = filesWith(gateway.home, ANSWERED);
  expect(left.filter((path) => !path.startsWith("audit/"))).toEqual([]);
  expect(filesWith(gateway.home, `${ANSWERED}-42`)).toEqual([]);
  expect(filesWith(gateway.workspace, PLANTED, ANSWERED)).toEqual([]);
  expect(filesWith(gateway.home, id).filter((path) => !/^(?:audit\/|sessions\/removed-spending)/.test(path))).toEqual(
    [],
  );
  expect(existsSync(join(gateway.home, "blobs", blob.sha256.slice(0, 2), blob.sha256))).toBe(false);
  expect((await gateway.api(`/sessions/${id}`)).body.code).toBe("session.not-found");
  expect((await gateway.api("/sessions?trashed=true")).body.items).toEqual([]);
  // What it cost stays counted, and that it was.
  const lines = readdirSync(join(gateway.home, "audit"))
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) =>
      readFileSync(join(gateway.home, "audit", name), "utf8")
        .trim()
        .split("\n"),
    )
    .map((line) => JSON.parse(line) as { kind: string; user?: string; reply?: string; result?: string; tool?: string });
  expect(lines.flatMap(({ kind, user, reply }) => (kind === "turn" ? [[user, reply]] : []))).toEqual([
    ["", ""],
    ["", ""],
  ]);
  expect(lines.flatMap(({ kind, tool, result }) => (kind === "call" ? [[tool, result]] : []))).toEqual([
    ["exec", ""],
    ["write_file", ""],
    ["write_file", ""],
  ]);
  const { body: home } = await gateway.api("/home");
  expect(home.spent.tokens).toBeGreaterThan(0);
  await gateway.stop();
  expect(filesWith(gateway.home, PLANTED)).toEqual([]);
});

test("memory, search, lists and other conversations know nothing of a temporary one while it lives", async (t) => {
  const gateway = await startGateway(t, { config: { agent: { memoryWindow: 4, titles: true } } });
  const memory = join(gateway.workspace, "memory");
  gateway.model.replies(
    callsTool("remember", { text: `${PLANTED} is lasting` }),
    callsTool("write_file", { path: "./memory/MEMORY.md", content: PLANTED }),
    says(`Nothing of ${ANSWERED} is kept.`),
  );
  const { id, key } = await begin(gateway, `remember ${PLANTED}`);
  const { items } = (await gateway.api(`/sessions/${id}/messages`)).body as {
    items: { parts?: { call?: { result?: { text: string }[] } }[] }[];
  };
  const results = items.flatMap(({ parts = [] }) =>
    parts.flatMap(({ call }) => call?.result?.map(({ text }) => text) ?? []),
  );
  expect(results).toEqual([
    "Denied: this chat is temporary: nothing of it goes into memory.",
    "Denied: this chat is temporary: nothing of it goes into memory.",
  ]);
  expect(gateway.model.requests.at(-1)?.system).toContain("This chat is temporary");
  // More than the window: what leaves the context is summarized there, and written nowhere.
  for (const n of [1, 2, 3]) {
    gateway.model.replies(says(`A summary, or an answer ${n}.`), says("one more"));
    await say(gateway, id, `again ${PLANTED}`);
  }
  gateway.model.replies(says("unneeded"));
  const compacted = await gateway.api(`/sessions/${id}/compact`, { method: "POST" });
  expect(compacted.body.text).toBe("No long-term memory is kept here.");
  await gateway.app.agent.idle();
  expect(existsSync(memory) ? filesWith(memory, PLANTED, ANSWERED) : []).toEqual([]);
  for (const scope of ["all", "messages", "memory"])
    expect((await gateway.api(`/search?q=${PLANTED}&scope=${scope}`)).body.items).toEqual([]);
  expect((await gateway.api(`/sessions?q=${PLANTED}`)).body.items).toEqual([]);
  expect(await gateway.app.inside.holdingsOf(undefined).recall.search(PLANTED, 10)).toEqual([]);
  // It can be found again in the list, which is not kept, and no name of it is.
  expect((await gateway.api("/sessions")).body.items).toMatchObject([{ id, key, source: "temporary" }]);
  expect((await gateway.api(`/sessions/${id}`)).body.title).toBe(`remember ${PLANTED}`);
  const { body } = await gateway.api(`/sessions/${id}`);
  const named = { method: "PATCH", body: { title: PLANTED }, headers: { "if-match": `"${body.hash}"` } };
  for (const body of [named.body, { folder: PLANTED }])
    expect((await gateway.api(`/sessions/${id}`, { ...named, body })).body.code).toBe("request.invalid");
  // Closed and opened it is the same.
  await gateway.stop();
  const left = filesWith(gateway.home, PLANTED).filter((path) => !path.startsWith("audit/")); // what a call was made with
  expect(left).toEqual([`sessions/${id}.journal`, `sessions/${id}.jsonl`]);
});

test("with a temporary conversation its branches and its helpers go, and nothing of the others", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(
    callsTool("spawn", { task: `count ${PLANTED}`, wait: true }),
    says(`counted ${ANSWERED}`), // the helper
    says("done"),
    says("in the branch"),
    says("kept"),
  );
  const { id } = await begin(gateway, `about ${PLANTED}`);
  const fork = await gateway.api(`/sessions/${id}/fork`, { method: "POST", body: { title: PLANTED } });
  expect(fork.body.key).toMatch(/^temporary:/);
  await say(gateway, fork.body.id, "and on");
  const other = await gateway.api("/sessions", {
    method: "POST",
    body: { message: { parts: [{ type: "text", text: "stays" }] } },
  });
  await gateway.app.agent.idle();
  expect(filesWith(join(gateway.home, "sessions"), PLANTED).filter((name) => name.endsWith(".journal"))).toHaveLength(
    3,
  );
  // Whichever of them is ended: they are one conversation.
  expect((await gateway.api(`/sessions/${fork.body.id}`, { method: "DELETE" })).status).toBe(204);
  expect(filesWith(gateway.home, PLANTED, ANSWERED).filter((path) => !path.startsWith("audit/"))).toEqual([]);
  expect((await gateway.api("/sessions")).body.items).toMatchObject([{ id: other.body.id }]);
});

test("without a word for a day a temporary conversation ends by itself, and no sooner", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  gateway.model.replies(says("Well."), says("Well."));
  const { id } = await begin(gateway, `about ${PLANTED}`);
  await clock.advance(23 * 3_600_000);
  expect((await gateway.api(`/sessions/${id}`)).status).toBe(200);
  await clock.advance(2 * 3_600_000);
  await expect.poll(async () => (await gateway.api(`/sessions/${id}`)).status).toBe(404);
  expect(filesWith(gateway.home, PLANTED)).toEqual([]);
});

test("a token has no temporary session", async (t) => {
  const gateway = await startGateway(t);
  const { status, body } = await gateway.api("/sessions", {
    method: "POST",
    body: { temporary: true },
    token: gateway.token("chat"),
  });
  expect([status, body.code]).toEqual([422, "request.invalid"]);
});
