export const EXCHANGE = 'bureau';
export const CONSOLE = 'bureau-console';
