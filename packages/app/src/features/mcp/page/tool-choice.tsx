/** Which tools of a server the agent gets: a check box each, with what its definition costs in every request. */
import type { z } from "zod";
import type { McpServerView, McpToolsSchema } from "../schema.ts";
import { number } from "../../../web/texts/index.ts";
import { t } from "./texts.ts";
import { visible } from "../../../web/markdown/visible-text.tsx";
import { Check } from "../../../web/ui/field.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

export type ToolLine = z.infer<typeof McpToolsSchema>[number];

/** With one more tool of all servers together, none stands in the prompt (`features/mcp/client/search.ts`). */
const MAX_SENT_TOOLS = 20;
const ALL = "*";

interface Props {
  /** Of the server itself; its tools are counted by what is chosen here. */
  readonly server: string;
  readonly tools: readonly ToolLine[];
  readonly include: readonly string[];
  readonly onChange: (include: readonly string[]) => void;
}

export function ToolChoice({ server, tools, include, onChange }: Props) {
  const servers = useResource<readonly McpServerView[]>("/mcp/servers", "mcp");
  const all = include.includes(ALL);
  const names = tools.map(({ own }) => own);
  const chosen = tools.filter(({ own }) => all || include.includes(own));
  const unknown = include.filter((name) => name !== ALL && !names.includes(name));
  const elsewhere = (servers.data ?? []).reduce((sum, one) => sum + (one.name === server ? 0 : one.tools), 0);
  const put = (name: string, checked: boolean): void => {
    const next = new Set(all ? names : include);
    if (checked) next.add(name);
    else next.delete(name);
    onChange([...names, ...unknown].filter((one) => next.has(one))); // in one order: the same choice is no change
  };
  return (
    <fieldset class="p-tools">
      <legend class="field-label">{t("choose")}</legend>
      <Check
        label={t("chooseAll")}
        checked={all}
        onChecked={(checked) => onChange(checked ? [ALL] : chosen.map(({ own }) => own))}
      />
      <ul>
        {tools.map((tool) => (
          <li key={tool.own} data-tool={tool.own}>
            <Check
              label={<code>{visible(tool.own)}</code>}
              checked={all || include.includes(tool.own)}
              onChecked={(checked) => put(tool.own, checked)}
            />
            <span class="badge">{t(`effect_${tool.effect}`)}</span>
            <span class="p-faint grow">{tool.description}</span>
            <span class="p-faint">{t("cost", { n: number(tool.tokens) })}</span>
          </li>
        ))}
        {unknown.map((name) => (
          <li key={name} data-tool={name}>
            <Check label={<code>{visible(name)}</code>} checked onChecked={() => put(name, false)} />
            <span class="badge warn">{t("notOffered")}</span>
          </li>
        ))}
      </ul>
      <p role="status">
        {t("chosen", {
          n: number(chosen.length),
          of: number(tools.length),
          tokens: number(chosen.reduce((sum, { tokens }) => sum + tokens, 0)),
        })}
      </p>
      {chosen.length + elsewhere > MAX_SENT_TOOLS && (
        <p class="p-faint">{t("searched", { n: number(chosen.length + elsewhere), most: MAX_SENT_TOOLS })}</p>
      )}
    </fieldset>
  );
}
