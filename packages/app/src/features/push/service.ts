/** Tells devices whose person looks at no page that something waits: once for each thing, and taken back when it waits no more. */
import type { Services } from "../../host/api/services.ts";
import type { Part } from "../../host/run-parts.ts";
import { openPush } from "./store.ts";

/** Nothing of it is loaded before a browser asks to be told. */
export function pushPart(services: Services): Part {
  return {
    name: "push",
    run: async (signal) => {
      const store = services.once(openPush);
      while (store.list().length === 0) {
        const added = Promise.withResolvers<void>();
        const unwatch = store.watch(added.resolve);
        signal.addEventListener("abort", () => added.resolve(), { once: true });
        await added.promise;
        unwatch();
        if (signal.aborted) return;
      }
      const { tellDevices } = await import("./tell.ts");
      await tellDevices(services, store, signal);
    },
  };
}
