// Which settings are taken over: only where nothing is set, and only what our own check accepts.
import type { Source, SourceSetting } from "./source.ts";
import type { PlannedSetting, Step } from "./step.ts";
import type { Target } from "./target.ts";

export function planSettings(source: Source, target: Target): readonly Step<PlannedSetting>[] {
  return source.settings.map((setting) => stepOf(setting, target));
}

function stepOf({ from, path, value }: SourceSetting, target: Target): Step<PlannedSetting> {
  const { secret, verdict, name = "" } = target.judgeSetting(path, value);
  // People write tokens into the arguments and the address of a server.
  const isHidden = secret || /^mcpServers\..*\.(?:args|url)$/.test(path);
  const item = { area: "config", from, to: path, ...(!isHidden && { value }) } as const;
  switch (verdict) {
    case "unknown":
      return { item: { ...item, status: "skip", reason: { key: "import.why.noKey" } } };
    case "wrong":
      return { item: { ...item, status: "skip", reason: { key: "import.why.value" } } };
    case "unset":
      return { item: { ...item, status: "skip", reason: { key: "import.why.unset", values: { name } } } };
    case "same":
      return { item: { ...item, status: "same" } };
    case "set":
      return { item: { ...item, status: "conflict", reason: { key: "import.why.set" } } };
    case "free":
      return { item: { ...item, status: "add" }, work: { path, value, secret } };
  }
}
