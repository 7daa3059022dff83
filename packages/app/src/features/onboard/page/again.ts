/** Waiting for a gateway that begins anew. */
import type { SystemView } from "../../system/schema.ts";
import { api } from "../../../web/panel-kit/api.ts";

const LOOK_MS = 250;
/** A gateway is back in a second or two; one that first takes a home over takes longer. */
const PATIENCE_MS = 60_000;

/** Which life of the gateway this is. */
export async function lifeNow(): Promise<string> {
  return (await api.get<SystemView>("/system")).body.life;
}

/** @returns whether another life has begun in time. */
export async function untilAgain(before: string): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const life = await lifeNow().catch(() => before); // away
    if (life !== before) return true;
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    });
  }
  return false;
}
