// A gateway whose person writes at the desk, and what its owner sees of the replies there.
import type { JsonObject } from "@margay/core";
import { expect } from "vitest";
import { margay } from "../cli/harness.ts";
import { operations } from "../gateway/operations.ts";
import { startGateway, type Owner } from "../gateway/support.ts";
import { deskConfig, installDesk, startDesk } from "./desk.ts";

/** @param options `can`: what the platform can do beside texts; `channel`, `config`: settings. */
export async function deskGateway(
  t: Owner,
  {
    can = {},
    channel = {},
    config = {},
  }: { readonly can?: JsonObject; readonly channel?: JsonObject; readonly config?: JsonObject } = {},
) {
  const desk = await startDesk();
  t.onTestFinished(async () => desk[Symbol.asyncDispose]());
  const gateway = await startGateway(t, {
    config: { ...deskConfig(desk, channel), ...config } as never,
    prepare: ({ home }) => installDesk(home, can),
  });
  const operate = operations(gateway);
  const waiting = async () => (await operate("listOutbox")).body.items;
  const settles = async (states: readonly string[]): Promise<void> => {
    await expect.poll(async () => (await waiting()).map((item: { state: string }) => item.state)).toEqual(states);
  };
  const said = (): readonly string[] => desk.shown.map(({ text }) => text);
  const run = (...argv: readonly string[]) => margay().run(argv, { env: { MARGAY_HOME: gateway.home } });
  return { desk, gateway, operate, waiting, settles, said, run };
}
