/** Providers: those set up first, what runs on this machine, then the catalog. */
import { useState } from "preact/hooks";
import type { ProviderView } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { SearchField } from "../../../web/ui/search-field.tsx";
import { Act, type Acting, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { KeyBadge } from "./chain.tsx";
import { ProviderForm } from "./provider-form.tsx";

interface Detected {
  readonly env: readonly { readonly provider: string; readonly variable: string }[];
  readonly local: readonly { readonly kind: string; readonly url: string; readonly models: readonly string[] }[];
}

interface Props {
  readonly providers: readonly ProviderView[];
  readonly reload: () => Promise<void>;
  readonly toChain: () => void;
}

export function Providers({ providers, reload, toChain }: Props) {
  const [open, setOpen] = useState<string | undefined>(undefined);
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<Detected | undefined>(undefined);
  const acting = useAct();
  const wanted = query.trim().toLowerCase();
  const fits = ({ id, title }: ProviderView): boolean => `${id} ${title}`.toLowerCase().includes(wanted);
  const ready = providers.filter((one) => (one.configured || one.usable) && one.group !== "local");
  const others = providers.filter((one) => !ready.includes(one));
  const look = async (): Promise<void> => {
    setFound((await api.get<Detected>("/providers/detect")).body);
  };
  const use = async (model: string): Promise<void> => {
    await api.put("/models/active", { model });
    await reload();
    toChain();
  };
  const row = (provider: ProviderView) => (
    <li key={provider.id} class="p-card">
      <div class="p-row">
        <div class="grow">
          <strong>{provider.title}</strong> <code class="p-faint">{provider.id}</code> <KeyBadge provider={provider} />
        </div>
        <Button
          size="small"
          aria-expanded={open === provider.id}
          onClick={() => setOpen(open === provider.id ? undefined : provider.id)}
        >
          {open === provider.id ? c("close") : c("edit")}
        </Button>
      </div>
      {open === provider.id && <ProviderForm provider={provider} reload={reload} use={use} />}
    </li>
  );
  return (
    <div class="stack">
      <Outcome of={acting} />
      {ready.length > 0 && (
        <section class="stack">
          <h3>{t("configured")}</h3>
          <ul class="p-cards">{ready.map(row)}</ul>
        </section>
      )}
      <section class="stack">
        <h3>{t("localFound")}</h3>
        {found === undefined ? (
          <div>
            <Act acting={acting} work={look} icon="search">
              {t("look")}
            </Act>
          </div>
        ) : found.local.length === 0 ? (
          <p class="muted">{t("nothingLocal")}</p>
        ) : (
          <Local found={found} acting={acting} use={use} />
        )}
      </section>
      <section class="stack">
        <h3>{t("others")}</h3>
        <SearchField label={t("searchProviders")} value={query} onValue={setQuery} />
        <ul class="p-cards">{others.filter(fits).map(row)}</ul>
        <details class="p-card">
          <summary>{t("custom")}</summary>
          <ProviderForm provider={undefined} reload={reload} use={use} />
        </details>
      </section>
    </div>
  );
}

interface LocalProps {
  readonly found: Detected;
  readonly acting: Acting;
  readonly use: (model: string) => Promise<void>;
}

/** Servers of models on this machine. */
function Local({ found, acting, use }: LocalProps) {
  return (
    <ul class="p-cards">
      {found.local.map((server) => (
        <li key={server.url} class="p-card">
          <strong>{server.kind}</strong> <code>{server.url}</code>
          <div class="p-row">
            {server.models.slice(0, 12).map((model) => (
              <Act key={model} acting={acting} work={() => use(`${server.kind}/${model}`)} size="small">
                {t("useModel", { model })}
              </Act>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}
