/** A restart that was asked for: at once, or when nothing is worked on. */
import { messageOf } from "@margay/core/internal";
import type { App } from "../../app.ts";

export interface PlannedRestart {
  /** Asking twice restarts once; "now" after "idle" waits no longer. @param restart Ends the process. */
  at(when: "idle" | "now", restart: () => void): void;
}

export function plannedRestart({ agent, log }: App): PlannedRestart {
  let state: "none" | "waiting" | "begun" = "none";
  return {
    at: (when, restart) => {
      const begin = (): void => {
        if (state === "begun") return;
        state = "begun";
        log.info("gateway.restart", { when });
        restart();
      };
      if (when === "now") begin(); // who asked is still answered: the server closes gracefully
      else if (state === "none") {
        state = "waiting";
        agent.idle().then(begin, (error: unknown) => {
          state = "none";
          log.error("gateway.restart", { message: messageOf(error) });
        });
      }
    },
  };
}
