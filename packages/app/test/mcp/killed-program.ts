// A margay with one MCP server, for a test that kills it. argv: state directory, configuration as JSON.
import type { JsonObject } from "@margay/core";
import { openApp } from "../../src/embed.ts";

const [home, config = "{}"] = process.argv.slice(2);
if (home === undefined) throw new TypeError("The state directory is missing."); // never the one of whoever runs this
const app = await openApp({ home, config: JSON.parse(config) as JsonObject });
await app.agent.send("cli:direct", "hello").finished;
process.stdout.write("answered\n");
setInterval(() => {}, 60_000);
