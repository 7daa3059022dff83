/** MCP servers: their state, what changed, one of them open, a new one, JSON in and out. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { McpExport, McpServerView } from "../../../../../app/src/gateway/schema/mcp.ts";
import { c } from "../../../i18n/panels-common.ts";
import { t } from "../../../i18n/panels-mcp.ts";
import { copyText } from "../../../lib/clipboard.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { toast } from "../../../ui/toast.tsx";
import { Act, Outcome, useAct } from "../kit/act.tsx";
import { api } from "../kit/api.ts";
import { PanelLink } from "../kit/go.tsx";
import { Empty, Loaded } from "../kit/loaded.tsx";
import type { PanelProps } from "../kit/panel.ts";
import { useResource } from "../kit/resource.ts";
import { Import } from "./import.tsx";
import { Server, TONES } from "./server.tsx";
import { ServerForm } from "./form.tsx";
import { UnconfinedBadge } from "./unconfined.tsx";

export function McpPage({ rest }: PanelProps) {
  if (rest === undefined) return <Overview />;
  return (
    <div class="stack">
      <p>
        <PanelLink to="mcp">‹ {t("toList")}</PanelLink>
      </p>
      {rest === "~new" ? <ServerForm server={undefined} /> : <Server key={rest} name={rest} />}
    </div>
  );
}

function Overview() {
  const servers = useResource<readonly McpServerView[]>("/mcp/servers", "mcp");
  const acting = useAct();
  const [importing, setImporting] = useState(false);
  const copy = async (): Promise<void> => {
    const { body } = await api.get<z.infer<typeof McpExport>>("/mcp/export");
    if (await copyText(JSON.stringify(body, null, 2))) toast(c("copied"));
  };
  return (
    <div class="stack">
      <div class="p-row">
        <PanelLink to="mcp/~new" class="button primary">
          <Icon name="plus" />
          {t("add")}
        </PanelLink>
        <Button aria-expanded={importing} onClick={() => setImporting(!importing)}>
          {t("import")}
        </Button>
        {servers.data !== undefined && servers.data.length > 0 && (
          <Act acting={acting} work={copy} icon="copy">
            {t("export")}
          </Act>
        )}
      </div>
      <Outcome of={acting} />
      {importing && (
        <Import
          done={() => {
            setImporting(false);
            void servers.reload();
          }}
        />
      )}
      <Loaded of={servers}>
        {(items) =>
          items.length === 0 ? (
            <Empty>{t("none")}</Empty>
          ) : (
            <ul class="p-cards">
              {items.map((server) => (
                <li key={server.name} class="p-card" data-server={server.name}>
                  <div class="p-row">
                    <PanelLink to={`mcp/${server.name}`} class="p-title grow">
                      {server.name}
                    </PanelLink>
                    <UnconfinedBadge server={server} />
                    <span class={`badge ${TONES[server.state]}`}>{t(`state_${server.state}`)}</span>
                  </div>
                  <p class="p-facts-line">
                    <span>{t("tools", { n: server.tools })}</span>
                    <code>{server.url ?? [server.command, ...(server.args ?? [])].join(" ")}</code>
                  </p>
                  {server.error !== undefined && <p class="p-error">{server.error}</p>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}
