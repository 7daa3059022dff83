// Keys of plugins of tools: what a call of one is given.
import { callsTool, says } from "@margay/core/testing";
import { approved, oneTool } from "../../plugins/plugin-home.ts";
import { lastResult, type Probes } from "./probe.ts";

const prepare = await approved({
  name: "weather",
  manifest: { settings: ["unit"], secrets: ["apiKey"] },
  code: oneTool("weather", "return `in ${call.settings.unit} of ${Object.keys(call.settings).join()}`"),
});

export const PLUGINS: Probes = {
  "plugins.*.settings": {
    at: "plugins.weather.settings",
    values: [{ unit: "metric" }, { unit: "imperial", other: "never given" }],
    place: { prepare },
    see: async (world) => {
      world.model.replies(callsTool("plugin_weather_run", {}), says("done"));
      await world.turn("go");
      return /in .*/.exec(lastResult(world))?.[0];
    },
    saw: ["in metric of unit", "in imperial of unit"],
  },
};
