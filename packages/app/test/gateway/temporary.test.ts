// Temporary conversations: the key says it, every reader heeds it, and nothing is left but what the title line says.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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
  const { body: audit } = await gateway.api("/audit?limit=50");
  expect(
    audit.items.filter((one: { kind: string }) => one.kind === "turn").map((one: { user: string }) => one.user),
  ).toEqual(["", ""]);
  const { body: home } = await gateway.api("/home");
  expect(home.spent.tokens).toBeGreaterThan(0);
  await gateway.stop();
  expect(filesWith(gateway.home, PLANTED)).toEqual([]);
});
