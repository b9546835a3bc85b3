// The life of a delivery. A `pending` one is tried until it is `delivered`, or `failed` once no try is left; replaying it
// makes it pending again.

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
