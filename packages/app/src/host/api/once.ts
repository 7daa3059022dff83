/** Things of a gateway that are made when the first route asks for them, and then kept. */
import type { App } from "../../app.ts";
import type { Services } from "./services.ts";

export function onceFor(app: App): Services["once"] {
  const made = new Map<unknown, unknown>();
  return <T>(make: (app: App) => T): T => {
    if (!made.has(make)) made.set(make, make(app));
    return made.get(make) as T; // set above, by the same function
  };
}
