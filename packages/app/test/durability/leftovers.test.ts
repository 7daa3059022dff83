// What a gateway that was killed in the middle of a replacement left goes when the next one starts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { killedGateway } from "./killed-gateway.ts";

const DIES = new URL("dies-at-file.ts", import.meta.url).href;

test(
  "DF22 a gateway that was killed while it replaced MEMORY.md leaves no copy of it behind",
  { timeout: 240_000 },
  async () => {
    const place = await killedGateway({
      answer: ({ toolResults }) =>
        toolResults.length > 0 ? says("done") : callsTool("remember", { text: "The person likes tea." }),
    });
    onTestFinished(() => place.close());
    const memory = join(place.workspace, "memory");
    const first = await place.start(undefined, {
      environment: { NODE_OPTIONS: `--import ${DIES}`, DIES_REPLACING: "/memory/MEMORY.md" },
    });
    const post = async (path: string, body: object): Promise<Response> =>
      fetch(`${first?.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${first?.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await post("/sessions", { message: { parts: [{ type: "text", text: "I like tea." }] } }).catch(() => undefined); // it dies meanwhile
    expect(await first?.gone).toBe("SIGKILL");
    expect(readdirSync(memory)).toEqual([expect.stringMatching(/^\.\d+-\w+\.tmp$/)]);

    await place.start();
    await expect.poll(() => readdirSync(memory), { timeout: 60_000 }).toEqual(["MEMORY.md"]);
    expect(readFileSync(join(memory, "MEMORY.md"), "utf8")).toBe("- The person likes tea.\n");
    const left = readdirSync(place.home, { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => /(?:^|\/)\.\d+-\w+\.tmp$/.test(name))).toEqual([]);
  },
);
