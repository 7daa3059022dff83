/** How vendors in China say that an account has no money left. */
export const QUOTA_ZH: RegExp = /余额不足|欠费/;
