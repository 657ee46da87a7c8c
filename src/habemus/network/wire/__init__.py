"""What goes over the network: frames, handshakes, connections and links."""
