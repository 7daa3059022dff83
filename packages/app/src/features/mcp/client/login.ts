/** `margay mcp login`: one connection with a person in front of it, whose tokens later connections use and refresh. */
import type { Clock, Logger } from "@margay/core";
import { connectClient, type ConnectOptions } from "./client.ts";
import { listenForCallback } from "./loopback.ts";
import { newState, signInProvider, type SignInStore } from "./oauth.ts";
import type { Link, ServerConfig } from "./types.ts";

export interface LoginOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly store: SignInStore;
  /** Gives the person the address to open. */
  readonly show: (url: URL) => void | Promise<void>;
  readonly allowHosts: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly clientMetadataUrl?: string;
  readonly elicit?: ConnectOptions["elicit"];
}

/** Connects, signing in as often as the server asks for it, and hands the connection to `work`. */
export async function withLogin<T>(
  options: LoginOptions,
  work: (link: Link) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { server, config, store, show, allowHosts, clock, log, clientMetadataUrl, elicit } = options;
  const state = newState();
  const { redirect } = store.read();
  const callback = await listenForCallback(state, redirect === undefined ? undefined : Number(new URL(redirect).port));
  try {
    const provider = signInProvider({
      server,
      store,
      person: { redirectUrl: callback.url, state, show },
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    });
    const link = await connectClient(
      {
        name: server,
        config,
        env: {},
        allowHosts,
        clock,
        log,
        signIn: { provider, code: () => callback.next(signal) },
        ...(elicit !== undefined && { elicit }),
      },
      signal,
    );
    try {
      return await work(link);
    } finally {
      await link.close();
    }
  } finally {
    callback.close();
  }
}
