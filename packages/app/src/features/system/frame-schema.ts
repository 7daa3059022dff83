/** The frames of `/ws` and of the seed view as JSON Schema, from what checks and makes them. */
import { z } from "zod";
import { CLIENT_FRAMES, SERVER_FRAMES } from "../../protocol/frames.ts";
import { SEED_FRAMES } from "../seed-protocol/schema.ts";

export function frameSchema(): unknown {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "margay WebSocket frames",
    client: described(CLIENT_FRAMES),
    server: described(SERVER_FRAMES),
    seedClient: described(SEED_FRAMES),
  };
}

function described(frames: Readonly<Record<string, z.ZodType>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(frames).map(([type, schema]) => [type, z.toJSONSchema(schema, { unrepresentable: "any" })]),
  );
}
