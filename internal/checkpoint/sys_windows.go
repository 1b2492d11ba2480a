package checkpoint

// noFollow makes opening a link an error, where the system can.
const noFollow = 0
