// A conversation that a newer margay went on with, in front of a gateway: refused by name wherever it is asked for, and nothing of it is lost.
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { crc32 } from "node:zlib";
import { connect } from "../gateway/frames.ts";
import { writeSession } from "../gateway/journals.ts";
import { startGateway } from "../gateway/support.ts";

test("R428 the gateway refuses it as journal.version, says which margay to install, and that trying again does not help; the others go on", async (t) => {
  const parts = [{ type: "text", text: "hello" }];
  const ids: string[] = [];
  const pathOf = (home: string): string => join(home, "sessions", `${ids[0]}.journal`);
  let before = Buffer.of();
  const gateway = await startGateway(t, {
    prepare: ({ home }) => {
      for (const key of ["web:later", "web:now"]) ids.push(writeSession(home, { key, turns: 1 }));
      const records = [{ type: "journal.raised", version: 99, by: "7.8.9" }, { type: "dream.dreamt" }];
      appendFileSync(pathOf(home), lineBehind(pathOf(home), records));
      before = readFileSync(pathOf(home));
    },
  });
  const [id = "", other = ""] = ids;
  gateway.model.replies(says("Still here."));
  const refused = {
    status: 409,
    body: {
      code: "journal.version",
      retryable: false,
      detail: expect.stringContaining("Install margay 7.8.9 or newer."),
    },
  };
  expect(await gateway.api(`/sessions/${id}`)).toMatchObject(refused);
  expect(await gateway.api(`/sessions/${id}/messages`)).toMatchObject(refused);
  expect(await gateway.api(`/sessions/${id}/messages`, { method: "POST", body: { parts } })).toMatchObject(refused);
  const socket = await connect(gateway);
  expect(await socket.ask({ type: "message.send", session: id, key: "k", parts })).toMatchObject({
    type: "error",
    error: { code: "journal.version" },
  });
  expect((await gateway.api(`/sessions/${other}/messages`, { method: "POST", body: { parts } })).status).toBe(202);
  await gateway.app.agent.idle();
  expect(readFileSync(pathOf(gateway.home))).toEqual(before);
  expect(readdirSync(join(gateway.home, "sessions")).filter((name) => name.includes("damaged"))).toEqual([]);
});

function lineBehind(path: string, records: readonly object[]): string {
  const body = JSON.stringify({ seq: readFileSync(path, "utf8").split("\n").length, at: 1, records }).slice(1);
  return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`;
}
