/** What the gateway would not start with, for `margay doctor`. */
import { RuntimeError } from "@margay/core";
import { systemClock, systemIds } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import type { Translate } from "../../texts/translate.ts";
import { openAuth } from "../../host/auth/store.ts";
import { checkSettings } from "../../host/http/start-checks.ts";

export interface DoorFault {
  readonly text: string;
  /** On the machine itself it would be none. */
  readonly isOpen: boolean;
}

export function doorFault(loaded: Loaded, t: Translate): DoorFault | undefined {
  const text = refusal(loaded, t);
  if (text === undefined) return undefined;
  const { config } = loaded;
  const inside = { ...loaded, config: { ...config, gateway: { ...config.gateway, host: "127.0.0.1" } } };
  return { text, isOpen: refusal(inside, t) === undefined };
}

function refusal(loaded: Loaded, t: Translate): string | undefined {
  try {
    using auth = openAuth({
      docs: loaded.places.docs,
      clock: systemClock(),
      ids: systemIds(),
      configured: loaded.config.gateway.token,
      lifetimes: () => ({ idleMs: 0, maxMs: 0 }), // nobody comes in by it
    });
    checkSettings({ loaded, auth, setup: false, t });
    return undefined;
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}
