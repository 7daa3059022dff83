/** What this package connects to. The channel itself comes with the contract of channels. */
export const kind = "telegram";
