print("Counter: 0")
