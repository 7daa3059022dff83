// A gateway that is killed while it removes a temporary conversation goes on with that when it starts again.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { killedGateway, type Running } from "./killed-gateway.ts";

const DIES = new URL("dies-at-file.ts", import.meta.url).href;
const PLANTED = "zanzibar-7f3a91c2";

const ask = (gateway: Running | undefined, method: string, path: string, body?: object): Promise<Response> =>
  fetch(`${gateway?.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway?.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

test(
  "a temporary conversation goes on after a kill, and one that was ended before a kill is gone after the next start",
  { timeout: 240_000 },
  async () => {
    const place = await killedGateway({ answer: () => says("Well.") });
    onTestFinished(() => place.close());
    const files = (): readonly string[] =>
      readdirSync(place.home, { recursive: true, encoding: "utf8" })
        .filter((path) => statSync(join(place.home, path), { throwIfNoEntry: false })?.isFile() === true)
        .filter((path) => readFileSync(join(place.home, path)).includes(PLANTED));
    const first = await place.start();
    const message = (text: string): object => ({ parts: [{ type: "text", text }] });
    const made = await ask(first, "POST", "/sessions", { temporary: true, message: message(`about ${PLANTED}`) });
    const { id } = (await made.json()) as { readonly id: string };
    await expect.poll(() => files().length).toBeGreaterThan(0);
    first?.kill("SIGKILL");
    await first?.gone;

    // The mark that it ended is the second that is written: the removal after it begins, and does not end.
    const second = await place.start(undefined, {
      environment: { NODE_OPTIONS: `--import ${DIES}`, DIES_REMOVING: `${id}.journal` },
    });
    await expect.poll(async () => (await ask(second, "GET", `/sessions/${id}`)).status).toBe(200);
    expect((await ask(second, "POST", `/sessions/${id}/messages`, message(`more ${PLANTED}`))).status).toBe(202);
    await ask(second, "DELETE", `/sessions/${id}`).catch(() => undefined); // it dies meanwhile
    expect(await second?.gone).toBe("SIGKILL");
    expect(files().some((path) => path.endsWith(`${id}.journal`))).toBe(true);

    const third = await place.start();
    await expect.poll(files, { timeout: 60_000 }).toEqual([]);
    expect((await ask(third, "GET", `/sessions/${id}`)).status).toBe(404);
  },
);
