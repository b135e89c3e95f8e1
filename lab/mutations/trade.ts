import type { Room } from './mutation.ts';

const orders = 'test/api/orders.test.ts';
const planTest = 'test/orders/plan.pure.test.ts';
const houseTest = 'test/operator/house.test.ts';

export const trade: Room = {
  name: 'trade',
  file: 'src/orders/terms.ts',
  tests: ['test/orders/fill.pure.test.ts'],
  mutations: [
    {
      name: 'the USDT for a fixed quantity are rounded in the client’s favour',
      find: "isBuy ? 'up' : 'down'",
      replace: "isBuy ? 'down' : 'up'",
    },
    {
      name: 'the coins for a fixed amount are rounded in the client’s favour',
      find: "isBuy ? 'down' : 'up'",
      replace: "isBuy ? 'up' : 'down'",
    },
    {
      name: 'the amount that the client fixed is not the one that moves',
      find: 'usdtAmount: value };',
      replace: 'usdtAmount: value + 1n };',
    },
    {
      name: 'the spread of a sale raises its price',
      file: 'src/orders/plan.ts',
      find: '(BASIS - spread)',
      replace: '(BASIS + spread)',
    },
    {
      name: 'the price of a purchase is rounded in the client’s favour',
      file: 'src/orders/plan.ts',
      find: '? divideUp(',
      replace: '? divideDown(',
    },
    {
      name: 'an order of exactly the maximum is refused',
      file: 'src/orders/terms.ts',
      find: 'usdtAmount > bounds.max',
      replace: 'usdtAmount >= bounds.max',
    },
    {
      name: 'an order of exactly the minimum is refused',
      file: 'src/orders/terms.ts',
      find: 'usdtAmount < bounds.min',
      replace: 'usdtAmount <= bounds.min',
    },
    {
      name: 'the bounds are not checked for a fixed quantity',
      file: 'src/orders/plan.ts',
      find: 'const bounded = checkBounds(amounts.usdtAmount, context.boundsOf(coin));\n  if (!bounded.ok) return bounded;',
      replace: '',
      tests: [orders],
    },
    {
      name: 'the amount that an order needs is told in the asset that it receives',
      file: 'src/orders/batches.ts',
      find: "const [asset, required] = side === 'BUY' ?",
      replace: "const [asset, required] = side === 'SELL' ?",
      tests: ['test/orders/refused-orders.test.ts'],
    },
    {
      name: 'the spread that the operator set is ignored',
      file: 'src/orders/plan.ts',
      find: 'settings.spreadBps ?? context.spread_bps',
      replace: 'context.spread_bps',
      tests: ['test/operator/settings.test.ts'],
    },
    {
      name: 'a spread below the minimum is accepted',
      file: 'src/orders/plan.ts',
      find: 'Math.max(settings.spreadBps ?? context.spread_bps, context.minSpread_bps)',
      replace: '(settings.spreadBps ?? context.spread_bps)',
      tests: [planTest],
    },
    {
      name: 'half of the range of the venues’ prices is rounded in the client’s favour',
      file: 'src/orders/plan.ts',
      find: 'divideUp(firm.dispersion, 2n)',
      replace: 'divideDown(firm.dispersion, 2n)',
    },
    {
      name: 'the limit price of a sale is checked as that of a purchase',
      file: 'src/orders/plan.ts',
      find: 'executedPrice < limitPrice',
      replace: 'executedPrice > limitPrice',
      tests: [planTest],
    },
    {
      name: 'an order at exactly its limit price is refused',
      file: 'src/orders/plan.ts',
      find: 'executedPrice > limitPrice :',
      replace: 'executedPrice >= limitPrice :',
      tests: [planTest],
    },
    {
      name: 'the middle price of an order is the one that it filled at',
      file: 'src/orders/plan.ts',
      find: 'middlePrice: firm.price',
      replace: 'middlePrice: executedPrice',
      tests: [houseTest],
    },
    {
      name: 'an order that is read again earns its spread again',
      file: 'src/reconciliation/spread-sums.ts',
      find: 'order.transfer <= this.#newest || atoms === undefined',
      replace: 'atoms === undefined',
      tests: [houseTest],
    },
    {
      name: 'the spread of a sale is rounded up',
      file: 'src/reconciliation/spread-sums.ts',
      find: "worth('down') - BigInt(usdtAmount)",
      replace: "worth('up') - BigInt(usdtAmount)",
      tests: [houseTest],
    },
  ],
};
