// Requests that need more journals than are read by now.
import { never } from "@margay/core/internal";
import { expect, test } from "vitest";
import { SURFACE } from "../../src/compose/surface.ts";
import { route } from "../../src/host/api/route.ts";
import { startGateway, type Owner } from "./support.ts";

const SLOW = route({
  id: "slow",
  method: "GET",
  path: "/!/slow",
  scope: "public",
  summary: "Is never done",
  timeoutMs: 20,
  handle: async () => {
    await new Promise<void>((resolve) => never().addEventListener("abort", () => resolve()));
    return {};
  },
});

/** @param setup nothing is read before the first password is set. */
async function asked(t: Owner, language: string, setup: boolean): Promise<readonly unknown[]> {
  const { url, gateway } = await startGateway(t, { setup, surface: { ...SURFACE, routes: [SLOW] } });
  await expect.poll(() => gateway.services.starting()).toBe(setup);
  const response = await fetch(`${url}/slow`, { headers: { "accept-language": language } });
  const { code, detail } = (await response.json()) as Record<string, unknown>;
  return [response.status, response.headers.get("retry-after"), code, detail];
}

test("SO3 what waited for the journals as long as it may is told to come again; later it took too long", async (t) => {
  expect(await asked(t, "en", true)).toEqual([
    ...[503, "1", "state.starting"],
    "margay has just started and is still reading its conversations.",
  ]);
  expect(await asked(t, "zh-CN", true)).toEqual([503, "1", "state.starting", "margay 刚刚启动，仍在读取对话。"]);
  expect(await asked(t, "en", false)).toEqual([
    ...[504, null, "request.timeout"],
    "The gateway did not finish this in time.",
  ]);
});
