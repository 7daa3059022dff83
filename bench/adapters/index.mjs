/** Who is measured: the floors, and margay from its built bundle. */
import { margay } from "./margay.mjs";
import { sdk } from "./sdk.mjs";

export const adapters = [
  sdk({
    name: "floor-fetch",
    dir: "floor",
    driver: "floor-fetch",
    note: "raw fetch + minimal SSE parse, whole history stringified each round",
  }),
  sdk({ name: "floor-http", dir: "floor", driver: "floor-http", note: "node:http, messages serialised once" }),
  margay(),
];
